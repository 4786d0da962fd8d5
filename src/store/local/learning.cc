// LocalStore's memory of runs.
#include "local_store.h"
#include "os/clock.h"

namespace atmost::local {

void LocalStore::learn(const Request&, std::uint32_t lock, LearnFn how, const RunSample& what) {
  LockFile& file = entries_[lock].file;
  const Result<LockFile::Guarded> guarded = file.guard(plus(os::boot_ns(), {kGuardPatienceNs}));
  if (!guarded.ok() || guarded.value() != LockFile::Guarded::held) return;
  memorize(file.fd(), file.path(), making_, how, what);
  file.unguard();
}

void LocalStore::learn_at_release(std::uint32_t, LearnFn how, const RunSample& what) {
  learn_ = how;
  happened_ = what;
}

Result<bool> LocalStore::recall(const Request& request, LockStats& memory,
                                DirectoryStats& experience) {
  LockFile file;
  memory = {};
  experience = {};
  if (Status opened = file.open(request.locks[0], request, LockFile::Access::look); !opened.ok())
    return opened.error();
  // Of a lock that nobody has used yet the directory knows all the same.
  if (file.present()) {
    if (Status read = file.refresh(); !read.ok()) return read.error();
  }
  local::recall(file.present() ? file.fd() : -1, request.locks[0].path, memory, experience);
  return true;
}

void LocalStore::show_memory(const LockFile& file, View& view) {
  local::recall(file.fd(), file.path(), memory_, experience_);
  view.memory = &memory_;
  view.experience = &experience_;
}

void LocalStore::remember_run(Entry& entry) {
  if (learn_ == nullptr) return;
  RunSample what = happened_;
  const Stamp previous = stamp_of(entry.before.start, entry.file.identity());
  const std::int64_t since = previous.known ? age_ns(previous, entry.admitted) : -1;
  if (since >= 0) what.since_previous = {since};
  what.asked_real_ns = entry.admitted.real_ns;
  memorize(entry.file.fd(), entry.file.path(), making_, learn_, what);
}

}  // namespace atmost::local
