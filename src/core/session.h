// The locks of one request, open; and the right to run, which a session gives.
#ifndef ATMOST_SESSION_H
#define ATMOST_SESSION_H

#include <cstdint>
#include <utility>

#include "core/decision.h"
#include "core/hold.h"
#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/view.h"

namespace atmost {

// The owner of something that a store opened. Move-only; its destructor calls close(), which gives
// back whatever the value occupies. An empty one owns nothing. The front tier has no heap, so the
// store that made the value provides its memory.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* what) : what_(what) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&& other) noexcept : what_(std::exchange(other.what_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      close();
      what_ = std::exchange(other.what_, nullptr);
    }
    return *this;
  }
  // Takes over the value of another owner, as a base class of it.
  template <class U>
  Owned(Owned<U>&& other) : what_(other.give_away()) {}
  ~Owned() { close(); }

  explicit operator bool() const { return what_ != nullptr; }
  T& operator*() const { return *what_; }
  T* operator->() const { return what_; }
  // Returns what it owned without closing it; the caller owns it now.
  T* give_away() { return std::exchange(what_, nullptr); }
  void close() {
    if (T* what = std::exchange(what_, nullptr)) what->close();
  }

 private:
  T* what_ = nullptr;
};

namespace rule {
struct Plan;     // rule/judge.h
struct Looked;   // rule/judge.h
struct Applied;  // rule/judge.h
}  // namespace rule

// One attempt to be admitted (rule::admit()), as a look is told of it.
struct Attempt {
  DecideFn decide;
  MomentFn moment;          // asked inside the critical section
  Ticket* queue = nullptr;  // null: the caller will not wait
  std::uint32_t looks = 0;  // looks that this attempt has had
};

// The part of a session that admits.
class Section {
 public:
  // Begins the critical section of all locks of the request (files: guards; a database: rows that
  // are locked; etcd: one read that the write is compared with). Blocks for at most five seconds
  // (on the guard). The attempt's place in the queue is cleared if it is gone: the caller is then a
  // newcomer. The caller's own place is never among the waiters. After an error, or an answer that
  // is there already, there is no critical section. If the locks change at each look, it is the
  // look that ends the attempt.
  virtual Status look(const Attempt& attempt, rule::Looked& to) = 0;
  // Ends it, also for a plan that changes nothing; all of the plan is done, or nothing. Fills the
  // ticket, tokens and what is held. The error of a plan that has `failed` is returned, or
  // `changed`. An error after which the admission may exist is the store's to resolve: its lease
  // ends before this returns. A store may add its own bookkeeping, never another decision.
  virtual Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
                       rule::Applied& to) = 0;

 protected:
  // Inlined: a call between the constructors would leave a table of pure virtual functions in the
  // front tier.
  [[gnu::always_inline]] Section() {}  // NOLINT(modernize-use-equals-default)
  ~Section() = default;
};

// A change of a lock's limit of record. A part that is not given stays as it is.
struct LimitChange {
  bool clears = false;           // nothing of the old one stays; without an N, there is none then
  std::uint32_t max = 0;         // 0: not given
  std::uint32_t rate_count = 0;  // 0: not given
  Rate rates[kMostRates] = {};
  bool names_given = false;
  std::string_view names = {};  // as in RecordedLimit
  Text<200>* from = nullptr;    // get the limit before and after in words (recorded_words())
  Text<200>* to = nullptr;
};

// A change of one lock by a caller that wants none of its slots. Plain data.
struct Edit {
  enum class What : std::uint8_t {
    refusal,  // one more refusal in a row is counted
    end,      // the end of a run is counted, which `failed` or did not
    forget,   // the last admission, the counts and what was learned
    drain,    // closes `slot` to newcomers; its holders stay
    resume,   // opens it again
    learn,    // calls `how` with the statistics and `sample`, and keeps what that made of them
    recall,   // reads the statistics into `lock` and `directory`
    limit,    // changes the limit of record as `limit` says
  };
  What what = What::refusal;
  bool failed = false;
  std::uint32_t slot = 0;  // 0: the whole lock
  LearnFn how = nullptr;
  RunSample sample{};
  LockStats* lock = nullptr;
  DirectoryStats* directory = nullptr;
  const LimitChange* limit = nullptr;
};

struct Edited {
  // refusal: how many there have been since a caller was last admitted. end: how many runs of the
  // lock have failed in a row, this one included; or, if it has not failed, how many had before,
  // and the count begins anew. 0: this store does not count.
  std::uint32_t count = 0;
  bool suspicious = false;           // learn: the answer of `how`
  StatsKept kept = StatsKept::none;  // recall
};

// Something that a session gives up.
struct End {
  enum class Of : std::uint8_t { place, hold, session };
  Of of = Of::session;
  Ticket* ticket = nullptr;  // place
  // hold: how the run ended.
  Ending ending = Ending::unknown;
  Instant now{};
  Lesson lesson{};
};

// The reason for which await() returned. None of them promises a slot: ask again.
enum class Wake : std::uint8_t { maybe, deadline, interrupted };

// Made by Store::open(), whose comment names the borrowed objects. Any call may be the first: none
// requires an earlier one. Not thread-safe; each thread opens its own. If this process dies, its
// slots and its place in the queue become free: at once where the kernel releases them, else when
// its lease ends. `lock` is the index of one of the request's locks. Functions with a body are
// overridden by a store with a queue, with a memory, whose holders can be stopped, or whose holds
// end otherwise than with their process.
class Session : public Section {
 public:
  // Blocks until an attempt may succeed, until `deadline_boot_ns` (CLOCK_BOOTTIME;
  // Duration::kForever: none) or an interruption (a signal handler of the caller ran). A ticket
  // that was not drawn: returns maybe at once.
  virtual Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) {
    (void)ticket, (void)deadline_boot_ns;
    return Wake::maybe;
  }

  // Changes one lock, in a critical section of its own. A store without a memory does nothing, and
  // is not asked for what its traits do not have.
  virtual Result<Edited> edit(std::uint32_t lock, const Edit& edit) {
    (void)lock, (void)edit;
    return Edited{};
  }

  // Begins to stop the holder of slot `slot` if its hold is still `hold` (HolderView). Empty:
  // another process is stopping it. At most kMaxVictims at once.
  virtual Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                         StopFor what_for) {
    (void)lock, (void)slot, (void)hold, (void)what_for;
    return Owned<HolderStop>();
  }

  // The part that is asked for, of that lock. Does not block. A store that renews leases itself
  // sends this process a SIGCHLD when the answer of About::lease gets worse, so that a wait for
  // children returns and the answer is read again.
  virtual Upkeep upkeep(About what, std::uint32_t lock) const {
    (void)what, (void)lock;
    return {};
  }
  Text<80> lease_name() const { return upkeep(About::lease, 0).name; }
  std::int64_t left_until_boot_ns() const { return upkeep(About::lease, 0).left_until_boot_ns; }

  // place: gives up the place in the queue, and empties the ticket. hold: frees the slots, and
  // records how the run ended; the store adds to the lesson when the run was admitted. A record
  // that cannot be written is lost without a message. The slots are free in any case; in a leased
  // store, when the lease ends. session: gives up both, and what is open; a lease ends before.
  virtual void end(const End& what) = 0;

  // These say how edit() and end() are called.
  Result<std::uint32_t> count_refusal(std::uint32_t lock) {
    const Result<Edited> done = edit(lock, {.what = Edit::What::refusal});
    return done.ok() ? Result<std::uint32_t>(done.value().count) : done.error();
  }
  Result<std::uint32_t> count_end(std::uint32_t lock, bool failed) {
    const Result<Edited> done = edit(lock, {.what = Edit::What::end, .failed = failed});
    return done.ok() ? Result<std::uint32_t>(done.value().count) : done.error();
  }
  // Failures are not reported; the sample is lost.
  bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) {
    const Result<Edited> done =
        edit(lock, {.what = Edit::What::learn, .how = how, .sample = sample});
    return done.ok() && done.value().suspicious;
  }
  void withdraw(Ticket& ticket) {
    if (ticket.drawn) end({.of = End::Of::place, .ticket = &ticket});
  }
  void close() { end({}); }

 protected:
  [[gnu::always_inline]] Session() {}  // NOLINT(modernize-use-equals-default)
  ~Session() = default;                // never deleted through the base: the front tier has no heap
};

// The right to run: which slots are held, and how. Move-only; the hold ends with it: the destructor
// releases (Ending::unknown); release() records how the run ended. If the process dies, the kernel
// frees its slots (docs/internals/lock-map.md, "Who keeps a slot"); a leased store frees
// them when the lease ends. Must not outlive its session. Not thread-safe; one thread owns it.
// detach() leaves the hold to the inherited descriptor: nothing is released here afterwards.
class Lease {
 public:
  Lease() = default;
  // `locks`: one for each of the request's locks, in the request's order; borrowed from the
  // session.
  Lease(Session& session, const HeldLock* locks) : session_(&session), locks_(locks) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Lease(Lease&& other) noexcept
      : session_(std::exchange(other.session_, nullptr)), locks_(other.locks_) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this != &other) {
      release(Ending::unknown, {});
      session_ = std::exchange(other.session_, nullptr);
      locks_ = other.locks_;
    }
    return *this;
  }
  ~Lease() { release(Ending::unknown, {}); }

  bool held() const { return session_ != nullptr; }
  void release(Ending ending, const Instant& now, const Lesson& lesson = {}) {
    Session* session = std::exchange(session_, nullptr);
    if (session != nullptr)
      session->end({.of = End::Of::hold, .ending = ending, .now = now, .lesson = lesson});
  }
  void detach() { session_ = nullptr; }

  // Of a lease that is held; `lock` is below the request's lock_count.
  const HeldLock& lock(std::uint32_t lock) const { return locks_[lock]; }
  Upkeep upkeep() const { return session_->upkeep(About::lease, 0); }
  Contest contested(std::uint32_t lock) const {
    return session_->upkeep(About::contest, lock).contest;
  }
  bool in_place(std::uint32_t lock) const { return session_->upkeep(About::place, lock).in_place; }

 private:
  Session* session_ = nullptr;
  const HeldLock* locks_ = nullptr;
};

}  // namespace atmost

#endif
