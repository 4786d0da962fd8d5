#include "nesting.h"

#include "os/process.h"
#include "os/self.h"
#include "ranges.h"

namespace atmost::local {
namespace {

// A keeper is nobody's ancestor: what counts is whether the process for which we ask has the slot
// already. Another one, its parent say, may let go while we wait. The record outlives the hold.
bool kept_for_the_same(const LockFile& file, std::uint32_t slot, const Record& record,
                       const Request& request) {
  const Identity& identity = file.identity();
  return request.kept_for > 1 && record.kept_for == static_cast<std::uint64_t>(request.kept_for) &&
         record.kept_for_start_ns == request.kept_for_start_ns &&
         os::holds_byte(record.pid, identity.device, identity.inode, slot_byte(slot)) ==
             os::Holding::yes;
}

bool held_by_our_tree(LockFile& file, std::uint32_t slot, const Request& request) {
  const Identity& identity = file.identity();
  // A descriptor that we inherited shows here; the one we opened holds nothing below N at this
  // point.
  if (os::holds_byte(os::process_id(), identity.device, identity.inode, slot_byte(slot)) ==
      os::Holding::yes) {
    return true;
  }
  Record record;
  if (!read_record(file.fd(), slot, record) || record.pid <= 1) return false;
  if (record.kind == static_cast<std::uint8_t>(HolderKind::keeper))
    return kept_for_the_same(file, slot, record, request);
  return os::is_ancestor(record.pid);
}

}  // namespace

bool own_tree_blocks(LockFile& file, const LockSpec& spec, const Request& request) {
  // An exclusive holder is alone: when the mode is locked and a slot is ours, both are. And nobody
  // is exclusive beside one.
  Run mode;
  const bool locked =
      first_locked(file.slot_fd(), kModeByte, kModeByte + 1, mode) == 0 && mode.found;
  const bool alone = locked || spec.mode == Mode::exclusive;
  const std::uint32_t others = spec.max < spec.take ? 0 : spec.max - spec.take + 1;
  const std::uint32_t enough = alone ? 1 : others;
  std::uint32_t ours = 0;
  std::int64_t low = kFirstSlotByte;
  const std::int64_t end = slot_byte(spec.max) + 1;
  while (low < end && ours < enough) {
    Run run;
    if (first_locked(file.slot_fd(), low, end, run) != 0 || !run.found) break;
    for (std::int64_t byte = run.start; byte < run.end && ours < enough; ++byte)
      ours += held_by_our_tree(file, slot_of(byte), request) ? 1U : 0U;
    low = run.end;
  }
  return ours >= enough;
}

}  // namespace atmost::local
