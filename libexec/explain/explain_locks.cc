// The first half of an explanation: the locks that the kernel reports, and their holders.
#include <iterator>

#include "explanation.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"
#include "store/local/listing.h"
#include "store/local/slots.h"

namespace atmost::explain {
namespace {

enum class Kind : std::uint8_t { guard, slots, mode, takeover, join, proof, handover, tickets };

struct Range {
  Kind kind;
  std::int64_t start;
  std::int64_t end;  // behind the last byte
  std::string_view name;
};

constexpr Range kRanges[] = {
    {Kind::guard, kGuard.start, kGuard.start + kGuard.length,
     "the guard (held around each decision)"},
    {Kind::slots, kFirstSlotByte, slot_byte(kMaxSlots) + 1, "slots (a byte for each)"},
    {Kind::mode, kModeByte, kModeByte + 1, "the mode (an exclusive holder locks it)"},
    {Kind::takeover, kTakeoverBase, ask_byte(kMaxSlots) + 1,
     "takeovers (a byte for each slot whose holder is being stopped)"},
    {Kind::join, kJoinByte, kJoinByte + 1, "callers that wait to run once more (--on-busy=join)"},
    {Kind::proof, kProofBase, proof_byte(kMaxSlots) + 1,
     "proofs of holders (a byte for each slot, where several users may write the file)"},
    {Kind::handover, kHandoverByte, kHandoverByte + 1,
     "the handover (a holder that came from the queue of one slot; the next waiter waits for it)"},
    {Kind::tickets, queue_start(0), queue_start(kModeQueue + 1),
     "waiters' tickets (a queue for each limit)"},
};

// True if it touches no range.
bool is_stray(const os::Conflict& lock) {
  const std::int64_t start = lock.bytes.start;
  const std::int64_t end = lock.bytes.length == 0 ? INT64_MAX : start + lock.bytes.length;
  return std::none_of(std::begin(kRanges), std::end(kRanges),
                      [&](const Range& range) { return start < range.end && range.start < end; });
}

void tell_process(std::int64_t pid, Report& out) {
  out.text("process ").number(pid);
  os::ProcessLabel label;
  if (os::process_label(pid, label))
    out.text(" (").shown(label.name).text(", user ").count(label.user).text(")");
  os::ProcessFacts facts;
  if (os::process_facts(pid, facts) != 0) return;
  if (facts.state == 'T' || facts.state == 't') out.text(", which is stopped");
  if (facts.ended()) out.text(", which has ended");
}

void tell_bytes(std::int64_t start, std::int64_t end, Report& out) {
  const bool open_ended = end - start > std::int64_t{1} << kTicketBits;
  out.text(end - start == 1 ? "byte "
           : open_ended     ? "bytes from "
                            : "bytes ")
      .text(position_words(start));
  if (end - start > 1 && !open_ended) out.text(" to ").text(position_words(end - 1));
}

void tell_place(const Range& range, const Run& run, Report& out) {
  const std::int64_t last = run.end - 1;
  switch (range.kind) {
    case Kind::slots:
    case Kind::takeover:
    case Kind::proof: {
      const std::int64_t before_first = range.start - 1;
      out.text(run.start == last ? "slot " : "slots ").number(run.start - before_first);
      if (run.start != last) out.text(" to ").number(last - before_first);
      return;
    }
    case Kind::tickets: {
      const std::int64_t queue = (run.start - kTicketBase) >> kTicketBits;
      if (queue == kModeQueue) {
        out.text("queue of shared and exclusive callers");
      } else if (queue == kLimitQueue) {
        out.text("queue of callers at the limit of record");
      } else {
        out.text("queue of -n ").number(queue);
      }
      out.text(", ticket ")
          .number((run.start - kTicketBase) & static_cast<std::int64_t>(kMaxTicket));
      return;
    }
    case Kind::guard:
    case Kind::mode:
    case Kind::join:
    case Kind::handover:
      tell_bytes(run.start, run.end, out);
  }
}

// The words before the holders of a range that has been found locked.
void tell_run(const Explanation& about, const Range& range, const Run& run, Report& out) {
  if (about.detailed) {
    out.text("    ");
    tell_place(range, run, out);
    return;
  }
  out.text("  ");
  if (range.kind == Kind::slots || range.kind == Kind::tickets) {
    tell_place(range, run, out);
  } else if (range.kind == Kind::takeover) {
    tell_place(range, run, out.text("the takeover of "));
  } else {
    out.text(range.name);
  }
}

void tell_holders(const Explanation& about, const Run& run, Report& out) {
  bool any = false;
  for (std::uint32_t i = 0; i < about.holdings->count(); ++i) {
    const os::HeldRange& held = (*about.holdings)[i];
    if (held.end < run.start || held.start >= run.end) continue;
    out.text(any ? "; " : ": ");
    tell_process(held.pid, out);
    if (!any) {
      out.text(held.description ? ", by description" : ", process-owned");
      if (!held.write) out.text(", for reading");
    }
    any = true;
  }
  if (any) {
    out.line();
    return;
  }
  os::Conflict conflict;
  const os::Bytes bytes = {run.start, run.end - run.start};
  if (os::query_lock(about.fd, os::Owner::description, os::LockKind::write, bytes, conflict) == 0 &&
      !conflict.found) {
    out.text(": just released\n");
  } else if (conflict.pid > 0) {
    out.text(": process-owned, the kernel names ");
    tell_process(conflict.pid, out);
    out.line();
  } else {
    out.text(": by a process that cannot be seen from here");
    out.text(about.holdings->unreadable()
                 ? " (another user's process, or another pid namespace)\n"
                 : " (another pid namespace, or a descriptor on its way through a socket)\n");
  }
}

// Another program's locks on ranges that atmost never locks together: each is shown once, and the
// ranges that it covers are not.
int tell_foreign(const Explanation& about, Report& out) {
  for (std::int64_t low = 0; low < INT64_MAX;) {
    Run run;
    if (const int error = first_locked(about.fd, low, INT64_MAX, run)) return error;
    if (!run.found) return 0;
    low = run.end;
    if (is_stray(run.lock) || !is_foreign(about.fd, run.lock)) continue;
    out.text("  foreign, not atmost's: ");
    if (is_whole(run.lock)) {
      out.text("all slots");
    } else {
      tell_bytes(run.start, run.end, out);
    }
    tell_holders(about, run, out);
  }
  return 0;
}

// Shows what is locked in [range.start, range.end). The number of locked runs in `runs`.
int tell_range(Explanation& about, const Range& range, Report& out, std::uint64_t& runs) {
  runs = 0;
  for (std::int64_t low = range.start; low < range.end; ++runs) {
    Run run;
    if (const int error = first_locked(about.fd, low, range.end, run)) return error;
    if (!run.found) break;
    if (runs == 0 && about.detailed) out.text("locked\n");
    if (is_foreign(about.fd, run.lock)) {
      low = run.end;
      continue;
    }
    if (range.kind == Kind::slots) {
      for (std::int64_t byte = run.start; byte < run.end; ++byte) about.mark_held(slot_of(byte));
    }
    if (about.detailed || range.kind != Kind::proof) {  // a proof is its slot's holder's
      tell_run(about, range, run, out);
      tell_holders(about, run, out);
    }
    low = run.end;
  }
  if (runs == 0 && about.detailed) out.text("free\n");
  return 0;
}

// Shows locks where atmost never takes one: they are another program's, on a file that it should
// leave alone.
int tell_strays(Explanation& about, std::int64_t low, std::int64_t end, Report& out) {
  while (low < end) {
    Run run;
    if (const int error = first_locked(about.fd, low, end, run)) return error;
    if (!run.found) return 0;
    low = run.end;
    if (!is_stray(run.lock)) continue;
    out.text("  outside of every range: ");
    tell_bytes(run.start, run.end, out);
    tell_holders(about, run, out);
  }
  return 0;
}

// The lock of flock(1): another kind of lock, on the whole file.
void tell_flock(const Explanation& about, Report& out) {
  os::LockLine line;
  const bool locked = os::find_flock(about.identity.device, about.identity.inode, line);
  if (!locked && !about.detailed) return;
  out.text("  flock(2), heeded by callers with --with-flock alone: ");
  if (!locked) {
    out.text("none\n");
    return;
  }
  out.text(line.write ? "exclusive, taken by " : "shared, taken by ");
  if (line.pid > 0) {
    tell_process(line.pid, out);
  } else {
    out.text("a process that cannot be seen from here");
  }
  out.line();
}

}  // namespace

int explain_locks(Explanation& about, Report& out) {
  about.holdings->gather(about.identity.device, about.identity.inode);
  out.text("\nlocks (the truth, asked of the kernel)\n");
  if (const int error = tell_foreign(about, out)) return error;
  std::int64_t behind = 0;
  bool exclusive = false;
  std::uint64_t locked = 0;
  for (const Range& range : kRanges) {
    if (const int error = tell_strays(about, behind, range.start, out)) return error;
    behind = range.end;
    if (about.detailed) {
      tell_bytes(range.start, range.end, out.text("  "));
      out.text(", ").text(range.name).text(": ");
    }
    std::uint64_t runs = 0;
    if (const int error = tell_range(about, range, out, runs)) return error;
    if (range.kind == Kind::mode) exclusive = runs > 0;
    locked += runs;
  }
  if (locked == 0 && !about.detailed) out.text("  nobody holds it, nobody waits\n");
  if (const int error = tell_strays(about, behind, INT64_MAX, out)) return error;
  tell_flock(about, out);
  if (exclusive && about.highest_held > 1) {
    about.contradictions.add(
        "slot", about.highest_held,
        "is held beside an exclusive holder: by a program that does not know of modes");
  }
  if (about.holdings->full()) out.text("  (more locks than could be matched with processes)\n");
  return 0;
}

}  // namespace atmost::explain
