// The locks and requests of the C library's program: those that are free for use again, and the
// effect of a fork on all locks.
#include <new>

#include "lock.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/self.h"
#include "os/threads.h"
#include "os/waiting.h"
#include "request.h"

namespace atmost::limiter {
namespace {

// A fork waits for this mutex, so that no thread is opening or closing a lock file.
constinit os::Mutex fork_mutex;
bool begun = false;
LibraryLock* pool = nullptr;
LibraryLock* all = nullptr;

LibraryRequest* unused_requests = nullptr;
std::uint64_t requests_begun = 0;

// A forked child that goes on without exec must not keep its parent's guard or its place in a
// queue.
void close_all_private() {
  for (LibraryLock* lock = all; lock != nullptr; lock = lock->next_of_all) lock->close_private();
}

// This program's name in list and the history. Written once, before the first lock.
constinit Text<63> program_name;

// Runs when the library is loaded. A fork that began before would not know the mutex: if another
// thread took its first lock meanwhile, the child would find the mutex locked for ever.
[[gnu::constructor]] void meet_forks() { os::keep_through_fork(fork_mutex, close_all_private); }

// Under the mutex, which every thread locks before its first lock.
void begin_process() {
  os::prepare_gates();
  os::remember_process_id();
  os::read_clocks_in_process();
  os::ProcessLabel label;
  if (os::process_label(os::process_id(), label)) program_name = label.name;
}

}  // namespace

std::string_view LibraryLock::program() { return program_name; }

LibraryLock* fresh_lock() {
  {
    const os::Locked locked(fork_mutex);
    if (!begun) begin_process();
    begun = true;
    if (LibraryLock* lock = pool) {
      pool = lock->next_unused;
      lock->next_unused = nullptr;
      return lock;
    }
  }
  void* room = os::pages(sizeof(LibraryLock));
  if (room == nullptr) return nullptr;
  auto* lock = new (room) LibraryLock(fork_mutex);
  const os::Locked locked(fork_mutex);
  lock->next_of_all = all;
  all = lock;
  return lock;
}

void give_back(LibraryLock* lock) {
  lock->texts().clear();
  const os::Locked locked(fork_mutex);
  lock->next_unused = pool;
  pool = lock;
}

LibraryRequest* fresh_request(std::string_view lock, const char* operand) {
  const os::Locked locked(fork_mutex);
  LibraryRequest* request = unused_requests;
  if (request != nullptr) {
    unused_requests = request->next_unused;
  } else if (void* const room = os::pages(sizeof(LibraryRequest))) {
    request = new (room) LibraryRequest(fork_mutex);
  }
  if (request != nullptr) request->begin(++requests_begun, lock, operand);
  return request;
}

void give_back(LibraryRequest* request) {
  const os::Locked locked(fork_mutex);
  request->next_unused = unused_requests;
  unused_requests = request;
}

std::uint32_t LibraryLock::slots_kept_of(std::uint64_t device, std::uint64_t inode,
                                         std::uint32_t& limit) const {
  if (!in_files() || inherited() || listening_) return 0;
  const os::Locked locked(mutex_);
  std::uint32_t slots = 0;
  for (std::uint32_t i = 0; lease_.held() && i < request_.lock_count; ++i) {
    struct stat status;
    if (os::file_status(lease_.lock(i).fd, status) != 0 || status.st_dev != device ||
        status.st_ino != inode)
      continue;
    if (lease_.lock(i).limit != nullptr) limit = lease_.lock(i).limit->max;
    slots += request_.locks[i].mode == Mode::exclusive ? kMaxSlots : lease_.lock(i).count;
  }
  return slots;
}

// Locks are never freed, so the list is read without fork_mutex: a thread that releases a lock has
// the mutex of that lock, for which slots_kept_of() waits, and may itself wait for fork_mutex.
bool waits_for_itself(std::uint64_t thread, const Request& request) {
  const LibraryLock* first = nullptr;
  {
    const os::Locked locked(fork_mutex);
    first = all;
  }
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    const LockSpec& lock = request.locks[i];
    struct stat status;
    bool known = false;
    std::uint32_t slots = 0;
    std::uint32_t limit = 0;  // of record, when they were taken; 0: none
    for (const LibraryLock* each = first; each != nullptr; each = each->next_of_all) {
      if (__atomic_load_n(&each->taker, __ATOMIC_RELAXED) != thread) continue;
      if (!known && os::path_status(lock.path.c_str(), status, false) != 0) break;
      known = true;
      slots += each->slots_kept_of(status.st_dev, status.st_ino, limit);
    }
    const bool own = limit == 0 || (lock.max_given && lock.max < limit);
    const std::uint32_t max = own ? lock.max : limit;
    if (slots > 0 && (lock.mode == Mode::exclusive || slots + lock.take > max)) return true;
  }
  return false;
}

LibraryLock* last_taken_by(std::uint64_t thread) {
  const os::Locked locked(fork_mutex);
  LibraryLock* last = nullptr;
  for (LibraryLock* lock = all; lock != nullptr; lock = lock->next_of_all) {
    if (__atomic_load_n(&lock->taker, __ATOMIC_RELAXED) != thread) continue;
    if (last == nullptr || lock->nth > last->nth) last = lock;
  }
  return last;
}

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
