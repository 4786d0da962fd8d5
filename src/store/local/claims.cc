// settle_claims(): which waiters have a better claim to a free slot.
#include "core/turn.h"
#include "queue.h"
#include "slots.h"

namespace atmost::local {
namespace {

class Settlement {
 public:
  Settlement(LockFile& file, const LockSpec& spec, os::Owner owner, const Seeker& seeker,
             Search* search, Reservation& to)
      : file_(file), spec_(spec), owner_(owner), seeker_(seeker), search_(search), to_(to) {}

  // Our own queue: each waiter in front of us claims what it wants.
  Status own_queue() {
    Turns turns = fresh_turns();
    const std::uint32_t queue = queue_of(spec_);
    for (Waiter waiter; !owed_;) {
      if (Status found = next_waiter(file_, queue, waiter.ticket, seeker_.ticket, waiter);
          !found.ok() || waiter.ticket == 0) {
        return found;
      }
      if (is_early(waiter) || turns.overtaken(waiter.turn_boot_ns)) continue;
      bool possible = false;
      if (Status asked = could_come(waiter, possible); !asked.ok()) return asked;
      if (!possible) {
        owe(Duration::kForever);
        break;
      }
      if (!keeps_turn(turns, queue, waiter)) continue;
      ++claimants_;
      claimed_ += waiter.take;
      // A due waiter would use up the rate of a caller that has one.
      const bool uses_rate = seeker_.rated && waiter.due_boot_ns > 0;
      bool enough = search_ != nullptr && !waiter.writer && !uses_rate;
      if (enough) {
        if (Status asked = has(claimed_ + spec_.take, enough); !asked.ok()) return asked;
      }
      if (!enough) owe(turns.ends());
    }
    return {};
  }

  // A plain caller counts as a reader: a writer that has waited longer goes first.
  Status writers() {
    Turns turns = fresh_turns();
    for (Waiter waiter; !owed_;) {
      if (Status found = next_waiter(file_, kModeQueue, waiter.ticket, seeker_.ticket, waiter);
          !found.ok() || waiter.ticket == 0) {
        return found;
      }
      if (!waiter.writer || is_early(waiter) || turns.overtaken(waiter.turn_boot_ns)) continue;
      bool possible = false;
      if (Status asked = could_come(waiter, possible); !asked.ok()) return asked;
      if (!possible) {
        owe(Duration::kForever);
      } else if (keeps_turn(turns, kModeQueue, waiter)) {
        owe(turns.ends());
      }
    }
    return {};
  }

 private:
  // A waiter whose rate does not allow it yet claims nothing.
  bool is_early(const Waiter& waiter) const { return waiter.due_boot_ns > seeker_.now_boot_ns; }

  Turns fresh_turns() const {
    const StampData& last = file_.header().start;
    if (file_.identity().across) return {seeker_.now_boot_ns, last.real_ns};
    const bool dated = last.boot != 0 && last.boot == file_.identity().boot;
    return {seeker_.now_boot_ns, dated ? last.boot_ns : 0};
  }

  // Whether `count` slots are free, ours among them: then they are reserved.
  Status has(std::uint32_t count, bool& yes) {
    yes = to_.held + count <= spec_.max && count <= kMaxTake;
    if (!yes) return {};
    if (Status more = search_->until(count); !more.ok()) return more;
    yes = to_.count >= count;
    return {};
  }

  // Whether the waiter could be admitted now, after those before it.
  Status could_come(const Waiter& waiter, bool& yes) {
    yes = true;
    if (search_ == nullptr) return {};
    if (!waiter.writer) return has(claimed_ + waiter.take, yes);
    os::Conflict conflict;
    const os::Bytes everything = {kFirstSlotByte, kModeByte + 1 - kFirstSlotByte};
    const int error =
        os::query_lock(file_.slot_fd(), owner_, os::LockKind::write, everything, conflict);
    yes = claimed_ == 0 && !conflict.found;
    return error == 0 ? Status{} : file_.failure(Code::io, error, "cannot query locks");
  }

  // False when its turn has ended.
  bool keeps_turn(Turns& turns, std::uint32_t queue, const Waiter& waiter) {
    const Turns::Standing standing = turns.next(waiter.turn_boot_ns);
    if (standing == Turns::Standing::begins)
      note_turn(file_, queue, waiter.ticket, seeker_.now_boot_ns);
    if (standing == Turns::Standing::passed) {
      note_turn(file_, queue, waiter.ticket, seeker_.now_boot_ns - kTurn.ns);
    }
    return standing != Turns::Standing::passed;
  }

  void owe(std::int64_t until_boot_ns) {
    owed_ = true;
    to_.waiters_ahead = claimants_ > 0 ? claimants_ : 1;
    to_.owed_until_boot_ns = until_boot_ns;
  }

  LockFile& file_;
  const LockSpec& spec_;
  os::Owner owner_;
  const Seeker& seeker_;
  Search* search_;
  Reservation& to_;
  std::uint32_t claimants_ = 0;
  std::uint32_t claimed_ = 0;
  bool owed_ = false;
};

}  // namespace

Status settle_claims(LockFile& file, const LockSpec& spec, os::Owner owner, const Seeker& seeker,
                     Search* search, Reservation& to) {
  if (file.header().drained != 0) return {};  // admits no caller, so there are no turns
  Settlement settlement(file, spec, owner, seeker, search, to);
  Status settled = settlement.own_queue();
  if (settled.ok() && spec.mode == Mode::plain) settled = settlement.writers();
  return settled;
}

}  // namespace atmost::local
