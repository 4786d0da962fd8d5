// LocalStore: flock(2) on the lock files, for callers that say --with-flock.
#include <cerrno>

#include "local_store.h"
#include "os/flock.h"
#include "os/self.h"

namespace atmost::local {
namespace {

// One at a time keeps every flock out; several of ours have to come in beside one another.
os::Hold kind_for(const LockSpec& spec) {
  return spec.max == 1 || spec.mode == Mode::exclusive ? os::Hold::write : os::Hold::read;
}

// Waiting for it would be waiting for ourselves: a flock(1) that runs us, a shell with the
// descriptor open, or the process for which we ask.
bool of_our_tree(const Identity& file, const Request& request) {
  return os::flock_above(os::process_id(), file.device, file.inode) ||
         (request.kept_for > 1 && os::flock_above(request.kept_for, file.device, file.inode));
}

}  // namespace

// Only when everything else is decided, and never waiting: a flock that is held for an instant
// makes somebody's `flock -n` fail. It sits where the slots are, so it ends as they do.
Result<Decision> LocalStore::take_flocks(const Request& request, DecideFn decide,
                                         const Instant& now, Ticket* queue,
                                         const Decision& admitted) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& entry = entries_[i];
    const LockSpec& spec = request.locks[i];
    const int error = os::try_flock(entry.file.slot_fd(), kind_for(spec));
    entry.flocked = error == 0;
    if (error == 0) continue;
    if (error != EAGAIN) return entry.file.failure(Code::io, error, "cannot take a flock(2) on it");
    View view = view_of(request, entry, spec, queue == nullptr);
    view.room = false;
    view.flocked = true;
    view.held_by_ancestor = of_our_tree(entry.file.identity(), request);
    view.holders = {};  // it is none of them
    Decision refused = decide(request, spec, view, now);
    refused.lock = i;
    return refused;
  }
  return admitted;
}

void LocalStore::drop_flock(Entry& entry) {
  if (entry.flocked) (void)os::drop_flock(entry.file.slot_fd());
  entry.flocked = false;
}

}  // namespace atmost::local
