// LocalSession: changes of a lock without a caller that wants a slot.
#include "facts.h"
#include "listing.h"
#include "os/file.h"
#include "session.h"
#include "stats_file.h"

namespace atmost::local {
namespace {

// A taker's note beside it stays.
int set_drained_flag(const LockFile& file, std::uint32_t slot, bool drained) {
  Word word;
  if (const int error = read_words(file.fd(), slot, 1, &word)) return error;
  const std::uint32_t flags = (word.flags & ~kDrainedFlag) | (drained ? kDrainedFlag : 0);
  return flags == word.flags ? 0 : write_flags(file.fd(), slot, flags);
}

// Resuming the whole lock resumes each slot.
void resume_slots(const LockFile& file) {
  for (std::uint32_t slot = 1; slot <= file.indexed_slots(); ++slot)
    (void)set_drained_flag(file, slot, false);
}

Status not_guarded(const LockFile& file, LockFile::Guarded found) {
  if (found == LockFile::Guarded::replaced)
    return file.failure(Code::io, 0, "was replaced just now; try again");
  Error busy = file.failure(Code::busy, 0, "its guard is held too long");
  if (const std::int64_t pid = guard_holder(file); pid > 0)
    busy.message.append(" (by process ").append_signed(pid).append(", which may be stopped)");
  return busy;
}

Status not_written(const LockFile& file, int error) {
  return error == 0 ? Status{} : file.failure(Code::io, error, "cannot write the lock file");
}

bool is_drain(const Edit& edit) {
  return edit.what == Edit::What::drain || edit.what == Edit::What::resume;
}

Status set_flags(const LockFile& file, const Edit& edit) {
  const bool drained = edit.what == Edit::What::drain;
  if (edit.slot != 0) return not_written(file, set_drained_flag(file, edit.slot, drained));
  if (!drained) resume_slots(file);
  return {};
}

// REQUIRES: guarded.
Status change(LockFile& file, const Edit& edit, Edited& done) {
  if (is_drain(edit)) {
    const std::uint32_t slot = edit.slot == 0 ? 1 : edit.slot;
    if (Status indexed = file.raise_index(slot); !indexed.ok()) return indexed;
  }
  const rule::State before = state_of(file);
  rule::State state = before;
  done.count = rule::edit(state, edit);
  if (edit.what == Edit::What::forget) {
    if (const int error = erase_memory(file.fd())) return not_written(file, error);
  }
  const bool as_before = edit.what == Edit::What::end && done.count == 0;
  Status saved = as_before ? Status{} : save_state(before, state, file);
  if (saved.ok() && is_drain(edit)) saved = set_flags(file, edit);
  // A full disk is known only then, if the file is on another machine.
  const bool ordered = is_drain(edit) || edit.what == Edit::What::forget;
  if (saved.ok() && ordered && file.identity().across)
    saved = not_written(file, os::sync_data(file.fd()));
  return saved;
}

// The header is written so that waiters look again.
Status change_limit(LockFile& file, const LimitChange& change, LimitRoom& room) {
  if (Status indexed = file.raise_index(1); !indexed.ok()) return indexed;
  if (Status edited = edit_limit(file, change, room); !edited.ok()) return edited;
  return file.save_header();
}

// The directory has statistics even if the lock was never used.
Result<Edited> recall_from(LockFile& file, const LockSpec& lock, const Edit& edit) {
  if (file.present()) {
    if (Status read = file.refresh(); !read.ok()) return read.error();
  }
  const int fd = file.present() ? file.fd() : -1;
  recall(fd, lock.path, *edit.lock, *edit.directory);
  Edited done;
  done.kept = fd < 0 || is_ours_alone(fd) ? StatsKept::kept : StatsKept::others_may_write;
  return done;
}

}  // namespace

Result<Edited> LocalSession::edit(std::uint32_t lock, const Edit& edit) {
  if (Status opened = open_files(); !opened.ok()) return opened.error();
  LockFile& file = entry(lock).file;
  if (edit.what == Edit::What::recall) return recall_from(file, request_->locks[lock], edit);
  Edited done;
  if (!file.present()) return done;
  const Result<LockFile::Guarded> guarded = file.guard();
  if (!guarded.ok()) return guarded.error();
  if (guarded.value() != LockFile::Guarded::held) return not_guarded(file, guarded.value()).error();
  Status changed;
  if (edit.what == Edit::What::limit) {
    changed = change_limit(file, *edit.limit, limits_.it);
  } else if (edit.what == Edit::What::learn) {
    done.suspicious = memorize(file.fd(), file.path(), making_, edit.how, edit.sample);
  } else {
    changed = change(file, edit, done);
  }
  file.unguard();
  if (!changed.ok()) return changed.error();
  return done;
}

}  // namespace atmost::local
