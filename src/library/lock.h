// One lock of the C library: a session, a lease, and the thread that listens for a taker.
#ifndef ATMOST_LIBRARY_LOCK_H
#define ATMOST_LIBRARY_LOCK_H

#include <cstdint>

#include "core/limiter.h"
#include "core/schemes.h"
#include "fleet_lock.h"
#include "history/log.h"
#include "limiter/admission.h"
#include "limiter/journal.h"
#include "os/threads.h"
#include "os/waiting.h"
#include "request.h"
#include "store/local/session.h"
#include "store/symlink/session.h"

namespace atmost::limiter {

// Values are kept and reused: a new one has a quarter of a megabyte, and its lock file has to be
// opened.
class LibraryLock {
 public:
  // `forks`: every fork waits for it.
  explicit LibraryLock(os::Mutex& forks);

  // Asks for request(), with on_lost and interruptible of the request that it was filled from; on
  // admission the lock is held and, if wanted, listens for takers.
  Outcome get(const LibraryRequest& from);
  void release(Ending ending);

  // The answer that get() would give now, without waiting; creates and writes nothing.
  Outcome probe();

  // get() on a thread of its own: begin(), finish() and, between them, cancel(). A lock that is
  // free at once is taken by begin(), without a thread. `from` is no longer needed after begin(). 0
  // or an errno value.
  int begin(const LibraryRequest& from);
  // True if finish() will not block. Any thread.
  bool answered() const;
  // Readable once finish() will not block. -1: there is no descriptor left for a request that was
  // answered at once, and got none before it was asked for. Not from two threads at a time.
  int asking_fd();
  // Any thread; async-signal-safe.
  void cancel() const;
  // Blocks until get() has ended. False: a forked child calls it; nothing is held here, and the
  // value must not be used again.
  bool finish(Outcome& to);

  // Fills all but the places, or only the parts that may have changed since it was filled from the
  // same request: programs take a lock again and again.
  void fill(const LibraryRequest& from);
  // To be completed before get() with the places of locks and log.
  Request& request() { return request_; }
  Arena& texts() { return texts_; }
  // Copies the path of the log, because its parts may change where they are.
  void keep_log(const PathParts& log);
  const Scheme& scheme() const { return *scheme_; }

  // The part that asks a store of many machines; null when there is no memory. Made when it is
  // first wanted.
  FleetLock* fleet();
  // This program's name in list and the history.
  static std::string_view program();

  // The program has the lock from now on.
  void hand_over() {
    if (in_fleet()) fleet_->hand_over();
  }
  bool held() const;
  std::uint64_t token() const { return token_; }
  std::uint32_t slot() const { return slot_; }

  // The number of slots of a lock file that it has, which only a release by this process can free;
  // all, if no other holder fits beside it. 0 for a lock that a taker or its own limit may end.
  // `limit`: the limit of record then; it stays as it is where there was none.
  std::uint32_t slots_kept_of(std::uint64_t device, std::uint64_t inode,
                              std::uint32_t& limit) const;

  // In a forked child: closes the descriptors that must not outlive the parent. Async-signal-safe.
  void close_private() {
    session_.close_private();
    if (fleet_ != nullptr) fleet_->close_private();
  }

  // The thread that took it, by a number of its own (0: it is not held), and the number of locks
  // that the thread had taken by then. Another thread may release it: `taker` is atomic.
  std::uint64_t taker = 0;
  std::uint64_t nth = 0;

  LibraryLock* next_of_all = nullptr;  // of all that were ever made
  LibraryLock* next_unused = nullptr;

 private:
  static void listen(void* self);
  static void get_asked(void* self);
  Stopped lose_if_asked();
  bool let_go(Ending ending, Stopped stopped);
  Lesson lesson_of(Stopped stopped) const;
  bool inherited() const;
  Outcome ask(const os::WaitGate* gate);
  Outcome get_at(const os::WaitGate* gate);
  bool get_at_once();
  void begin_to_hold(Outcome& outcome);
  void record_end(bool success, Stopped stopped);
  bool in_files() const { return scheme_ == &kSchemes[0]; }
  bool in_fleet() const { return scheme_->traits.leased; }
  Status open_link();
  Status open(os::Blocking how);
  Error with_store_named(const Error& error) const;
  void close() {
    if (in_files()) session_.close();
    link_.close();
  }
  bool held_in_fleet() const;
  OpenLocks locks() {
    return {request_, scheme_->traits, in_files() ? static_cast<Session&>(session_) : *link_};
  }
  Outcome get_in_fleet(const os::WaitGate* gate);
  void hold_in_fleet(Outcome& outcome);
  bool let_go_in_fleet(Ending ending, Stopped stopped);
  void begin_to_listen(Outcome& outcome);
  void end_listening();
  bool is_revoked(os::Watch& watch);
  void wait_for_end(os::Watch& watch, std::int64_t span_ns);

  os::Mutex& forks_;
  mutable os::Mutex mutex_;  // guards lease_ and session_ between release() and the listening
                             // thread
  const Scheme* scheme_ = &kSchemes[0];
  local::LocalSession session_;
  Owned<symlink::SymlinkSession> link_;  // instead of session_ with locks that are symbolic links
  FleetLock* fleet_ = nullptr;           // instead of session_ and lease_ in a fleet; reused
  std::uint64_t filled_from_ = 0;        // the number of a LibraryRequest
  Request request_;
  char first_texts_[512];
  Arena texts_{first_texts_};  // of request_.locks
  PathText log_;
  Journal journal_;
  Lease lease_;
  std::int64_t admitted_boot_ns_ = 0;
  Instant ended_at_;
  Duration waited_{};
  Limits limits_;  // that the admission was decided with
  std::uint64_t token_ = 0;
  std::uint32_t slot_ = 0;
  std::int64_t owner_ = 0;  // the process that took it: a forked child's copy releases nothing
  OnLostFunction on_lost_ = nullptr;
  void* context_ = nullptr;
  os::Thread listener_;
  bool listening_ = false;
  bool ending_ = false;  // release() has begun: the listener must end
  os::WakePair over_;    // ends the listener where release() writes to no file that it watches

  // Between begin() and finish().
  os::WakePair asking_;  // near: the caller's, readable at the end; far: the thread's, to cancel
  os::Thread asker_;
  bool asker_runs_ = false;
  bool answered_ = false;
  Outcome asked_;
  std::int64_t asked_by_ = 0;  // the process that began
};

// A value to fill and get(); null when there is no memory. give_back() returns it to the pool.
LibraryLock* fresh_lock();
void give_back(LibraryLock* lock);
// True if a request that waits for ever would do so, as it is never admitted while this thread has
// what it has taken.
bool waits_for_itself(std::uint64_t thread, const Request& request);
// The lock that this thread took last and still has; null: none.
LibraryLock* last_taken_by(std::uint64_t thread);

// Completes the request, and sets `to` to a fresh lock that is filled from it. ATMOST_ADMITTED, or
// the answer: then `to` is null.
int prepare(LibraryRequest& from, LibraryLock*& to);

// The C library's part of the history: one log for all locks of the process.

// Appends the event. The log stays open for the next event, so the program has one descriptor of
// it, however many locks it holds. Any thread and a forked child may call it; no call waits for
// another thread.
Status append_to_kept_log(const history::LogPlace& place, const Event& event);

}  // namespace atmost::limiter

#endif
