#include "store.h"

#include <cerrno>

#include "listing.h"
#include "os/process.h"
#include "os/self.h"
#include "os/signals.h"
#include "proof.h"
#include "slots.h"

namespace atmost::local {
namespace {

// Twice as long as a keeper waits for the guard.
constexpr std::int64_t kPatienceNs = 2 * kGuardPatienceNs;

Error about_keeper(const LockFile& file, Code code, std::int64_t pid, std::string_view what) {
  Error error = file.failure(code, 0, "it is kept by process ");
  error.message.append_signed(pid).append(what);
  return error;
}

// The record of the newest hold that is kept for the process; false if there is none.
Result<bool> find(LockFile& file, std::int64_t kept_for, std::int64_t kept_for_start_ns,
                  Record& to) {
  bool found = false;
  HeldSlots held;
  for (std::uint32_t slot = 1; slot <= kMaxSlots; slot = held.last + 1) {
    if (const int error = next_held(file, slot, kMaxSlots, held))
      return file.failure(Code::io, error, "cannot query locks");
    if (!held.found) break;
    Record record;
    if (held.foreign || !read_record(file.fd(), held.first, record)) continue;
    const bool meant = record.kind == static_cast<std::uint8_t>(HolderKind::keeper) &&
                       record.kept_for == static_cast<std::uint64_t>(kept_for) &&
                       (kept_for_start_ns == 0 || record.kept_for_start_ns == kept_for_start_ns);
    if (!meant || (found && record.token < to.token)) continue;
    to = record;
    found = true;
  }
  return found;
}

}  // namespace

Result<bool> let_go(const LockSpec& lock, std::int64_t kept_for, std::int64_t kept_for_start_ns,
                    std::int64_t at_real_ns) {
  LockFile file;
  Request rules;
  rules.trust_fs = true;  // looking grants nothing
  if (Status opened = file.open(lock, rules, LockFile::Access::look); !opened.ok())
    return opened.error();
  if (!file.present()) return false;
  Record record{};
  Result<bool> found = find(file, kept_for, kept_for_start_ns, record);
  if (!found.ok() || !found.value()) return found;

  os::ProcessHandle keeper;
  if (const int error = keeper.open(record.pid)) {
    if (error == ESRCH || error == EINVAL)
      return false;  // it has ended, and another holder has its slot
    return file.failure(Code::io, error, "cannot reach its keeper");
  }
  switch (Proof(file, record.slot).of(record.pid)) {
    case Proof::Answer::no:
      return false;  // the record is left from a hold that is over
    case Proof::Answer::unreadable:
      return about_keeper(file, Code::not_permitted, record.pid,
                          ", another user's: only that user or root may release it");
    case Proof::Answer::unproven:
      return about_keeper(
          file, Code::not_permitted, record.pid,
          ", as the file says; but others may write that, and nothing proves that it is a "
          "keeper, so it is not signalled; its user or the administrator can end it");
    case Proof::Answer::proven:
      break;
  }
  if (!keeper.means(record.pid)) return false;
  if (!keeper.alive()) return false;
  const int error =
      at_real_ns != 0 ? keeper.send_value(os::kTerminate, at_real_ns) : keeper.send(os::kTerminate);
  if (error == ESRCH) return false;
  if (error != 0)
    return about_keeper(file, Code::not_permitted, record.pid,
                        ", which may not be asked to release it");
  (void)keeper.send(os::kContinue);
  if (keeper.ends_within(kPatienceNs)) return true;
  return about_keeper(file, Code::busy, record.pid, ", which was asked to release it and does not");
}

}  // namespace atmost::local
