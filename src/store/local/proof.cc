#include "proof.h"

#include "listing.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"

namespace atmost::local {
namespace {

constexpr std::uint32_t kRoot = 0;

bool several_may_write(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) !=
         0;  // the mask of an access list is shown as the group's bits
}

os::Conflict as_conflict(const os::LockLine& line) {
  const std::int64_t length = line.end == INT64_MAX ? 0 : line.end - line.start + 1;
  return {true, line.write, {line.start, length}, line.description ? -1 : line.pid};
}

// True if a process's lock on the slot is foreign. One on several slots could be another program's
// on the slots of a hold that is over: it is a hold only of the process in the record, or of one
// that was started under it.
bool has_foreign_lock(const LockFile& file, std::int64_t pid, std::uint32_t slot,
                      const os::Conflict& lock) {
  if (is_foreign(file.fd(), lock)) return true;
  if (lock.bytes.length == 1 || lock.bytes.start == kGuard.start) return false;
  Record record;
  if (!read_record(file.fd(), slot, record)) return true;
  return record.pid != pid &&
         (record.token > INT64_MAX ||
          !os::is_marked(pid, "ATMOST_TOKEN", static_cast<std::int64_t>(record.token)));
}

// The locks of one process: does it have the slot, and by a lock of its own? A process-owned lock
// cannot be passed on, but its line shows in all processes that share its owner's table of
// descriptors (CLONE_FILES): so it counts only for the process that the kernel names.
class Lines final : public os::LockLineVisitor {
 public:
  Lines(const LockFile& file, std::int64_t pid, std::uint32_t slot)
      : file_(file), pid_(pid), slot_(slot) {}

  void lock(const os::LockLine& line) override {
    const bool slot = line.covers(slot_byte(slot_));
    const bool proof = line.covers(proof_byte(slot_));
    if (!line.write || (!slot && !proof)) return;
    const os::Conflict lock = as_conflict(line);
    if (slot ? has_foreign_lock(file_, pid_, slot_, lock) : !is_on_the_map(lock)) {
      foreign = foreign || slot;
      return;
    }
    holds = holds || slot;
    own = own || (!line.description && line.pid == pid_);
  }
  bool holds = false;
  bool own = false;
  bool foreign = false;

 private:
  const LockFile& file_;
  const std::int64_t pid_;
  const std::uint32_t slot_;
};

}  // namespace

Proof::Proof(const LockFile& file, std::uint32_t slot) : file_(file), slot_(slot) {
  struct stat status;
  if (os::file_status(file.fd(), status) != 0) return;
  shared_ = several_may_write(status);
  owner_ = status.st_uid;
  ours_ = !shared_ && (owner_ == kRoot || owner_ == os::user_id());
}

Proof::Answer Proof::of(std::int64_t pid) const {
  const Identity& identity = file_.identity();
  if (ours_) {
    os::LockLine line;
    const os::Holding holding =
        os::find_lock(pid, identity.device, identity.inode, slot_byte(slot_), line);
    if (holding != os::Holding::yes)
      return holding == os::Holding::unreadable ? Answer::unreadable : Answer::no;
    return has_foreign_lock(file_, pid, slot_, as_conflict(line)) ? Answer::unproven
                                                                  : Answer::proven;
  }
  Lines lines(file_, pid, slot_);
  const os::Holding any = os::each_lock(pid, identity.device, identity.inode, lines);
  if (lines.foreign) return Answer::unproven;
  if (!lines.holds) return any == os::Holding::unreadable ? Answer::unreadable : Answer::no;
  if (lines.own) return Answer::proven;
  os::Credentials ids;
  if (os::process_credentials(pid, ids) != 0) return Answer::unreadable;
  // A user who alone may write the file could have signalled a process that is wholly his without
  // us.
  const bool proven = shared_ ? started_under_this_lock(pid, ids) : ids.wholly(owner_);
  return proven ? Answer::proven : Answer::unproven;
}

// Checks the environment that the hold gave to its command: after the supervisor was killed, only
// that is left of it. Any writer of the file can forge a record, but no user can start another
// user's program in an environment of his choice, except a set-user-ID program, or one of root, who
// runs many helpers.
bool Proof::started_under_this_lock(std::int64_t pid, const os::Credentials& ids) const {
  Record record;
  if (!read_record(file_.fd(), slot_, record) || record.token == 0 || record.token > INT64_MAX)
    return false;
  if (ids.user == kRoot || ids.user != record.uid || !ids.wholly(ids.user)) return false;
  // Compared as text: following a path that another user chose may block for ever.
  PathText here;
  PathText named;
  return os::started_by(pid, ids.user) &&
         os::is_marked(pid, "ATMOST_TOKEN", static_cast<std::int64_t>(record.token)) &&
         os::started_with(pid, "ATMOST_LOCKFILE", named) &&
         os::descriptor_path(file_.fd(), here) == 0 && named.view() == here.view();
}

bool Proof::reaches(std::int64_t ancestor, std::int64_t descendant) const {
  if (ours_) return true;
  os::Credentials above;
  os::Credentials below;
  if (os::process_credentials(ancestor, above) != 0 ||
      os::process_credentials(descendant, below) != 0)
    return false;
  return above.real_user == kRoot || below.wholly(above.real_user);
}

int leave_proof(const LockFile& file, const std::uint32_t* slots, std::uint32_t count) {
  if (!os::has_description_locks()) return 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const os::Bytes byte = {proof_byte(slots[i]), 1};
    if (const int error =
            os::try_lock(file.slot_fd(), os::Owner::process, os::LockKind::write, byte))
      return error;
  }
  return 0;
}

}  // namespace atmost::local
