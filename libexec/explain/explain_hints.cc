// The second half of an explanation: the hints in the bytes, and which of them count.
#include <cstring>

#include "core/words.h"
#include "explanation.h"
#include "os/futex.h"
#include "os/locks.h"

namespace atmost::explain {
namespace {

constexpr std::uint32_t kPiece = 4096;

void tell_stamp(const Explanation& about, std::string_view name, const StampData& data,
                Report& out) {
  const Stamp stamp = stamp_of(data, about.identity);
  out.text(about.detailed ? "    " : "  ").text(name).text(": ");
  if (!stamp.known) {
    out.text("none\n");
    return;
  }
  const std::int64_t age = age_ns(stamp, about.now);
  if (age < 0) {
    out.text(duration_words({-age})).text(" in the future: counts as just now");
  } else {
    out.text(duration_words({age})).text(" ago");
  }
  out.text(stamp.same_boot ? ", by the boot clock\n"
                           : ", by the wall clock (another boot, or --now)\n");
}

void tell_index(Explanation& about, Report& out) {
  out.text("  bytes 0 to 7, the index: ").count(about.index);
  const std::uint64_t index = plausible_index(about.index);
  if (index == 0) {
    out.text(about.size == 0 ? ", the file is empty\n"
                             : ", absurd: the next admission repairs it\n");
    if (about.highest_held > 0) {
      about.contradictions.add(
          "slot", about.highest_held,
          "is held, but the index admits no slot: the original exectimes would not see it");
    }
    return;
  }
  const std::uint32_t indexed = slot_of(static_cast<std::int64_t>(index));
  out.text(", slots up to ").count(indexed).text(" are or were in use\n");
  if (about.highest_held > indexed) {
    about.contradictions.add(
        "slot", about.highest_held,
        "is held, but the index ends before it: the original exectimes would not see it");
  }
}

std::string_view state_words(HeaderState state) {
  switch (state) {
    case HeaderState::fresh:
      return "none yet (an empty file, or one that only exectimes has used)";
    case HeaderState::good:
      return "whole, written to this file";
    case HeaderState::copied:
      return "whole, but written to another file (a copy): only the last admission and the token "
             "count";
    case HeaderState::damaged:
      return "damaged: the last admission is unknown and counts as just now, words are not "
             "believed";
    case HeaderState::newer:
      return "written by a newer atmost: this one leaves the file alone";
    case HeaderState::alien:
      return "none, and other data where only zeros may be: not a lock file; every caller refuses "
             "it";
  }
  return "";
}

void tell_header(Explanation& about, Report& out) {
  const Header& header = about.header;
  out.text("  bytes 4096 to ").number(kHeaderAt + static_cast<std::int64_t>(sizeof(Header)) - 1);
  out.text(", the header: ").text(state_words(about.state)).line();
  if (about.state != HeaderState::good && about.state != HeaderState::copied) return;
  out.text("    format ")
      .count(header.version)
      .text(", device ")
      .hex(header.device)
      .text(", inode ")
      .count(header.inode)
      .line();
  out.text("    boot ").hex(header.boot);
  out.text(about.words_count() ? ": this one, so occupancy words count\n"
                               : ": not this one, so occupancy words do not count\n");
  out.text("    token of the last admission: ").count(header.token);
  out.text("\n    last ticket drawn: ").count(header.ticket);
  out.text("\n    refusals in a row: ").count(header.refusals);
  out.text("\n    drained: ")
      .text(header.drained != 0 ? "yes, nobody is admitted until resume\n" : "no\n");
  tell_stamp(about, "last start", header.start, out);
  tell_stamp(about, "last finish", header.finish, out);
  tell_stamp(about, "last success", header.success, out);
}

bool ticket_locked(const Explanation& about, const WaiterRecord& record) {
  const std::int64_t byte = queue_start(record.queue) + static_cast<std::int64_t>(record.ticket);
  os::Conflict conflict;
  return os::query_lock(about.fd, os::Owner::description, os::LockKind::write, {byte, 1},
                        conflict) == 0 &&
         conflict.found && conflict.bytes.length == 1;
}

void tell_waiters(Explanation& about, Report& out) {
  out.text("  from byte 2^20, the waiters (a ring of ").count(kWaiterRing).text(" records):");
  std::uint32_t live = 0;
  std::uint32_t left_over = 0;
  const auto places = static_cast<std::uint32_t>(
      about.size <= kWaitersAt ? 0 : (about.size - kWaitersAt) / kRecordSize + 1);
  for (std::uint32_t i = 0; i < kWaiterRing && i < places; ++i) {
    WaiterRecord record;
    if (!read_waiter(about.fd, i, record)) continue;
    if (!ticket_locked(about, record)) {
      ++left_over;
      continue;
    }
    WaiterView waiter;
    view_of(record, about.identity, waiter);
    if (live++ == 0) out.line();
    out.text("    ticket ")
        .count(waiter.ticket)
        .text(": process ")
        .number(waiter.pid)
        .text(", user ")
        .count(waiter.uid);
    out.text(", -n ")
        .count(waiter.max)
        .text(" -k ")
        .count(record.take)
        .text(", id '")
        .shown(waiter.id);
    out.text("', command '")
        .shown(waiter.command)
        .text(record.joins != 0 ? "', to run once more\n" : "'\n");
    const std::int64_t byte = queue_start(record.queue) + static_cast<std::int64_t>(record.ticket);
    if (about.holdings->anybody_holds(byte) && !about.holdings->holds(waiter.pid, byte)) {
      about.contradictions.add("ticket", waiter.ticket,
                               "its record names a process that does not hold it");
    }
    if (about.state == HeaderState::good && record.ticket > about.header.ticket) {
      about.contradictions.add("ticket", waiter.ticket,
                               "is locked, but the header says that so many were never drawn");
    }
  }
  out.text(live == 0 ? " nobody\n" : "");
  if (left_over > 0)
    out.text("    ").count(left_over).text(
        " left over, of waiters that have gone: they count for nothing\n");
}

void tell_word(Explanation& about, std::uint32_t slot, const Word& word, Report& out) {
  const bool lives = word_lives(word);
  const std::uint32_t thread = word.thread & os::kThreadMask;
  out.text("    slot ").count(slot).text(": word ");
  if (word.thread == 0) {
    out.text("none: the kernel is asked");
  } else if (!lives) {
    out.text("died: its supervisor was killed or became the command; the kernel is asked");
  } else {
    out.text("of thread ").count(thread);
    out.text(about.words_count() ? ", alive: taken as held, asked now and then"
                                 : ", of another boot or file: the kernel is asked");
  }
  if ((word.flags & kDrainedFlag) != 0) out.text("; drained, no new holder");
  if ((word.flags & kRevokedFlag) != 0) out.text("; its holder is asked to let go");
  out.line();
  if (!lives || !about.words_count()) return;
  if (!about.held[slot]) {
    about.contradictions.add("slot", slot,
                             "is free, but its word says that a supervisor lives in it");
  } else if (about.holdings->anybody_holds(slot_byte(slot)) &&
             !about.holdings->holds(thread, slot_byte(slot))) {
    about.contradictions.add("slot", slot, "its word names a process that does not hold it");
  }
}

void tell_record(Explanation& about, std::uint32_t slot, const Record& record, Report& out) {
  HolderView holder;
  view_of(record, about.identity, holder);
  static constexpr std::string_view kKinds[] = {"foreign", "supervised", "by --exec",
                                                "of a library", "kept for another"};
  out.text("      record: process ").number(holder.pid).text(", user ").count(holder.uid);
  out.text(", ")
      .text(kKinds[static_cast<std::size_t>(holder.kind)])
      .text(", token ")
      .count(holder.token);
  const std::int64_t age = age_ns(holder.start, about.now);
  out.text(", since ").text(duration_words({age < 0 ? 0 : age})).text(", expires ");
  if (holder.expire_after.is_forever()) {
    out.text("never");
  } else {
    out.text("after ").text(duration_words(holder.expire_after));
  }
  out.text(", id '").shown(holder.id).text("', command '").shown(holder.command).text("'\n");
  const std::int64_t byte = slot_byte(slot);
  if (about.holdings->anybody_holds(byte) && !about.holdings->holds(holder.pid, byte)) {
    // Not wrong by itself: the supervisor was killed and its command runs on, or another program
    // holds the slot.
    about.contradictions.add("slot", slot, "its record names a process that does not hold it");
  }
  if (about.state == HeaderState::good && holder.token > about.header.token) {
    about.contradictions.add("slot", slot, "its record's token is beyond the last one given");
  }
}

int tell_slots(Explanation& about, Report& out) {
  out.text("  from byte 2^21, occupancy words; holders' records, slot 1's from byte ");
  out.number(kFirstRecordAt).text(", the others' from byte 2^22:\n");
  std::vector<Word> words(kPiece);
  std::uint64_t left_over = 0;
  std::uint64_t shown = 0;
  std::int64_t last = about.size <= kWordsAt ? 0 : (about.size - kWordsAt + 7) / 8;
  if (last > kMaxSlots) last = kMaxSlots;
  if (last < 1) last = 1;  // its record is behind the header
  if (last < about.highest_held) last = about.highest_held;
  for (std::uint32_t first = 1; first <= last; first += kPiece) {
    const auto count = static_cast<std::uint32_t>(last) - first + 1 < kPiece
                           ? static_cast<std::uint32_t>(last) - first + 1
                           : kPiece;
    if (const int error = read_words(about.fd, first, count, words.data())) return error;
    for (std::uint32_t slot = first; slot < first + count; ++slot) {
      const Word& word = words[slot - first];
      const bool held = about.held[slot];
      Record record;
      const bool has_record = record_at(slot) < about.size && read_record(about.fd, slot, record);
      if (!held && !word_lives(word) && word.flags == 0) {
        left_over += has_record ? 1u : 0u;
        continue;
      }
      ++shown;
      tell_word(about, slot, word, out);
      if (!held) {
        left_over += has_record ? 1u : 0u;
      } else if (has_record) {
        tell_record(about, slot, record, out);
      } else {
        out.text("      record: none; a foreign holder, or the disk was full\n");
      }
    }
  }
  if (shown == 0) out.text("    nothing\n");
  if (left_over > 0)
    out.text("    ").count(left_over).text(
        " records left over, of slots that are free: they count for nothing\n");
  return 0;
}

}  // namespace

void sum_up_hints(const Explanation& about, Report& out) {
  out.line();
  if (about.state != HeaderState::good) out.text("header: ").text(state_words(about.state)).line();
  if (about.state != HeaderState::good && about.state != HeaderState::copied) return;
  out.text("remembered\n");
  tell_stamp(about, "last start", about.header.start, out);
  tell_stamp(about, "last finish", about.header.finish, out);
  tell_stamp(about, "last success", about.header.success, out);
  if (about.header.refusals > 0)
    out.text("  refusals in a row: ").count(about.header.refusals).line();
  if (about.header.drained != 0) out.text("  drained: nobody is admitted until resume\n");
}

int explain_hints(Explanation& about, Report& out) {
  out.text("\nhints (bytes; each may be stale or forged, none is trusted with an admission)\n");
  tell_index(about, out);
  tell_header(about, out);
  if (about.state == HeaderState::newer || about.state == HeaderState::alien) {
    out.text("    what lies behind it is not for this version to read\n");
    return 0;
  }
  explain_memory(about, out);
  tell_waiters(about, out);
  return tell_slots(about, out);
}

}  // namespace atmost::explain
