#include "log.h"

#include <new>

#include "os/threads.h"

namespace atmost::limiter {
namespace {

struct KeptLog {
  history::LogPlace place;
  history::Log log{place};
};
os::Mutex kept_mutex;
KeptLog* kept = nullptr;

bool same_log(const history::LogPlace& one, const history::LogPlace& other) {
  return one.path.view() == other.path.view() && one.mode == other.mode &&
         one.mode_given == other.mode_given && one.check_directories == other.check_directories &&
         one.optional == other.optional;
}

}  // namespace

Status append_to_kept_log(const history::LogPlace& place, const Event& event) {
  // If another thread uses the log, or did when this process was forked, the event is written
  // through a log of its own.
  if (kept_mutex.try_lock()) {
    if (kept == nullptr) {
      void* const room = os::pages(sizeof(KeptLog));
      if (room != nullptr) kept = new (room) KeptLog;
    }
    KeptLog* const log = kept;
    if (log != nullptr && !same_log(log->place, place)) {
      log->log.close();
      log->place = place;
      log->place.among_others = true;
    }
    const Status done = log != nullptr ? log->log.append(event) : Status{};
    kept_mutex.unlock();
    if (log != nullptr) return done;
  }
  history::Log own(place);
  return own.append(event);
}

}  // namespace atmost::limiter
