// The locks of one request, in files (docs/internals/lock-map.md): the store that sets the standard
// for all others.
#ifndef ATMOST_STORE_LOCAL_SESSION_H
#define ATMOST_STORE_LOCAL_SESSION_H

#include <cstdint>
#include <optional>

#include "core/store.h"
#include "facts.h"
#include "holder_stop.h"
#include "limit_file.h"
#include "lock_file.h"
#include "os/watch.h"
#include "roll.h"
#include "rule/judge.h"
#include "slots.h"
#include "stats_file.h"

namespace atmost::local {

// Memory for a T whose pages are not touched before it is made or filled.
template <class T>
union Untouched {
  Untouched() {}
  ~Untouched() {}
  T it;
};

// The files stay open from open() until the admitted slots are released, or close(); a call that
// finds them closed opens them again. About 300 KiB, of which an ordinary admission touches a few
// pages: for memory of its own (open_session()) or a value that is reused. If the process dies, its
// slots are free as soon as no process has inherited the descriptors.
class LocalSession final : public Session {
 public:
  LocalSession() {}  // NOLINT(modernize-use-equals-default): touches no page of the unions
  LocalSession(const LocalSession&) = delete;
  LocalSession& operator=(const LocalSession&) = delete;
  ~LocalSession() { close_files(); }

  // Closes the files of the previous request; borrows the new one until close() or the next open().
  // Nothing stays open when it fails. To close() it also frees the memory of a session that
  // open_session() made.
  Status open(const Request& request, OpenTo how = OpenTo::make);

  Status look(const Attempt& attempt, rule::Looked& to) override;
  Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
               rule::Applied& to) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  Result<Edited> edit(std::uint32_t lock, const Edit& edit) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  Upkeep upkeep(About what, std::uint32_t lock) const override;
  void end(const End& what) override;

  // The way in which its calls may block: see os::Blocking. Kept across open().
  void set_blocking(os::Blocking blocking);
  // Says that the program around us may fork at any time: see Heirs::forks. Kept across open();
  // otherwise the heirs follow from the request.
  void set_heirs(Heirs heirs, os::Mutex* opening);
  // From now on the descriptors of a single lock stay open after its release, without any lock, for
  // the next open() of the same path. Not if the process has forked since they were opened, because
  // the child would share later locks on them.
  void set_keeping() {
    keeps_ = true;
    watch_.set_exposed();
  }
  // Our user as it was when the first lock was opened for the last request. REQUIRES: open.
  std::uint32_t user() const { return entry(0).file.user(); }
  // The moment by the clocks of the first lock's admission. REQUIRES: a lease is held.
  Instant admitted_at() const;
  // For a forked child that keeps only the slots. Async-signal-safe.
  void close_private();

  // True if a taker has asked us to release a slot (Eviction::revoke). From now on, writes to the
  // lock file wake a thread that waits for `watch`. Not while another thread is in look(),
  // apply() or end().
  bool revoked(os::Watch& watch) const;

 private:
  friend Result<Owned<LocalSession>> open_session(const Request& request, OpenTo how);

  struct Entry {
    bool words_registered = false;
    std::int64_t turn_seen_ns = 0;  // when our turn in the queue began, as of the last attempt
    bool header_changed = false;    // since `before`
    bool first_recorded = false;    // the record of slot 1 was written with the header
    Instant admitted;
    Reservation reserved;  // its slots are those of held()
    LockFile file;
    std::optional<LocalFacts> facts;  // made by look()
    // With a limit of record, as of the last look:
    bool limited = false;
    LockSpec spec;
    RecordedLimit limit;
  };
  Entry& entry(std::uint32_t lock) { return entries_.it[lock]; }
  const Entry& entry(std::uint32_t lock) const { return entries_.it[lock]; }
  // The wishes of the request for that lock, under its limit of record.
  const LockSpec& spec_of(std::uint32_t lock) const {
    return entry(lock).limited ? entry(lock).spec : request_->locks[lock];
  }
  HeldLock& held(std::uint32_t lock) { return held_.it[lock]; }
  const HeldLock& held(std::uint32_t lock) const { return held_.it[lock]; }

  struct Stops {
    LocalHolderStop each[kMaxVictims];
    os::SeenDescendants seen;
  };

  // Opening and the guards (session.cc).
  Status open_files();
  Status open_file(std::uint32_t lock);
  void close_files();
  Result<LockFile::Guarded> guard_all(std::uint32_t& culprit);
  void unguard_all();

  // An attempt: a look, and the plan that the rule made of it (attempt.cc).
  Status open_and_guard(const Attempt& attempt, rule::Looked& to);
  void reopen(Ticket* queue);
  void refuse_guard(LockFile::Guarded found, std::uint32_t culprit, rule::Looked& to);
  TurnClock turn_clock(const Instant& now) const;
  Status obey_limits(const Ticket* queue);
  Status obey_limit(std::uint32_t lock, const Ticket* queue);
  void see(const Ticket* queue, rule::Looked& to);
  Status write(const rule::Plan& plan, const Instant& now, Ticket* queue);
  Status after_refusal(const rule::Plan& plan, const Instant& now, Ticket* queue);
  PlaceNote place_in(std::uint32_t lock, const Ticket& ticket, const Instant& now) const;
  Status draw_tickets(const Instant& now, Ticket& queue);
  void confirm_turns();
  void drop_flock(std::uint32_t lock);
  void drop_all();
  void leave_queue(Ticket& ticket);
  void keep_places(const Ticket& ticket);
  void leave_place(Ticket& ticket);

  // The records that an admission writes (lease.cc).
  Status commit(const Instant& now, Ticket* queue);
  void take_back(std::uint32_t count);
  Status admit_to(std::uint32_t lock, const Instant& now);
  void note_vanished(std::uint32_t lock);
  void write_hints(std::uint32_t lock, const Instant& now);
  std::uint32_t register_words(std::uint32_t lock);

  // Waiting (waiting.cc).
  // Where we wait. We claim a slot in one lock, that which refused us last, and are parked in the
  // others.
  struct Position {
    std::uint32_t lock = 0;                    // Ticket::claims_in
    std::uint32_t watched = Ticket::kNowhere;  // the lock whose file the watch watches
    std::uint32_t rank = 0;      // waiters in front that claim, as last counted; 0: not counted yet
    bool leads = false;          // we were called, or nobody is in front
    Called called = {};          // behind us, by us as the head
    std::int64_t head_ns = 0;    // since when we are the head; 0: we are not
    std::int64_t called_ns = 0;  // when we last called
    std::int64_t kept_ns = 0;    // when our kept place was last written
  };
  Result<Wake> wait_for_turn(const Ticket& ticket, std::int64_t deadline_boot_ns, bool& gone);
  int sleep_behind(std::uint64_t ahead, std::uint64_t ticket, std::uint32_t word,
                   std::int64_t until_boot_ns);
  std::int64_t next_look(std::int64_t due_boot_ns, std::int64_t deadline_boot_ns) const;
  void lead(const Ticket& ticket);
  void call_successor(const Ticket& ticket, bool stays);
  Result<Wake> sleep_parked(std::int64_t deadline_boot_ns) const;
  bool should_ask(std::uint32_t lock, std::uint64_t ticket);
  bool has_new_turn(std::uint32_t lock, std::uint64_t ticket);
  bool waits_for_handover() const;
  bool wait_for_handover(std::int64_t deadline_boot_ns, Wake& wake);
  void settle_position(const Ticket& ticket);

  // The hold.
  Contest contested(std::uint32_t lock) const;
  void release(const End& how);
  bool release_one(std::uint32_t lock, const End& how);
  void learn_from_run(std::uint32_t lock, const Lesson& lesson);
  bool is_locked_beside(std::uint32_t lock, std::int64_t (*byte_of)(std::uint32_t)) const;
  bool clear_own_words(std::uint32_t lock);
  void let_go(Entry& entry);

  const Request* request_ = nullptr;
  std::uint32_t order_[kMaxLocks] = {};  // lock indices by device and inode: the order in which
                                         // guards are taken
  std::uint32_t count_ = 0;              // locks whose files are open or were
  std::uint32_t made_ = 0;               // entries that are made
  bool stops_made_ = false;
  std::uint32_t quick_looks_ = 0;
  ForeignSeen foreign_seen_;
  OpenTo open_to_ = OpenTo::make;
  bool opened_ = false;
  bool in_room_ = false;  // made by open_session()
  bool keeps_ = false;
  bool kept_ = false;  // open, but nothing is held or asked for
  MomentFn moment_ = nullptr;
  rule::Facts* seen_facts_[kMaxLocks];
  std::uint64_t forks_ = 0;  // when the files were opened
  Duration max_runtime_{};   // of the run that is being admitted; 0: none
  os::Owner owner_ = os::Owner::description;
  os::Blocking blocking_ = os::Blocking::alarm;
  Heirs heirs_ = Heirs::nobody;
  os::Mutex* opening_ = nullptr;
  Making making_;  // of the directory's statistics
  os::Watch watch_;
  Position position_;  // of the ticket
  // The large members, untouched until they are used.
  Untouched<Entry[kMaxLocks]> entries_;
  Untouched<HeldLock[kMaxLocks]> held_;
  Untouched<Stops> stops_;  // made with the first one
  Untouched<FactsRoom> room_;
  Untouched<LimitRoom> limits_;
  Untouched<PathText> kept_path_;  // of a file that stays open (set_keeping())
};

// A session in memory of its own (os/room.h). Fails like LocalSession::open(), or for lack of
// memory.
Result<Owned<LocalSession>> open_session(const Request& request, OpenTo how = OpenTo::make);

}  // namespace atmost::local

#endif
