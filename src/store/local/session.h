// The locks of one request, in files (docs/lock-map.md): the store that sets the standard for all
// others.
#ifndef ATMOST_STORE_LOCAL_SESSION_H
#define ATMOST_STORE_LOCAL_SESSION_H

#include <cstdint>

#include "core/session.h"
#include "holder_stop.h"
#include "lock_file.h"
#include "os/watch.h"
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
class LocalSession final : public Session, private Hold {
 public:
  LocalSession() : Hold(held_.it) {}
  LocalSession(const LocalSession&) = delete;
  LocalSession& operator=(const LocalSession&) = delete;
  ~LocalSession() { close_files(); }

  // Makes files that are missing. Closes those of the previous request; borrows the new one until
  // close() or the next open(). Nothing stays open when it fails.
  Status open(const Request& request);
  // Closes everything that is open; frees the memory of a session that open_session() made.
  void close() override;

  Result<Decision> attempt(DecideFn decide, const Instant& now, Ticket* queue,
                           Lease& lease) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  void withdraw(Ticket& ticket) override;
  Result<std::uint32_t> count_refusal(std::uint32_t lock) override;
  Result<std::uint32_t> count_end(std::uint32_t lock, bool failed) override;
  bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;

  // How its calls may block: see os::Blocking. Kept across open().
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

  // Whether a taker has asked us to release a slot (Eviction::revoke). From now on, writes to the
  // lock file wake a thread that waits for `watch`. Not while another thread is in attempt() or
  // release().
  bool revoked(os::Watch& watch) const;
  // Writes into the records of the held slots that process `pid`, which inherited the descriptors,
  // is the holder. REQUIRES: a lease is held.
  void name_holder(std::int64_t pid);
  // To be called by that process itself, when the one that it inherited from holds nothing any
  // more: leaves the proof that it is the holder where several users may write the lock (proof.h).
  // REQUIRES: a lease is held.
  void leave_proofs();

 private:
  friend Result<Owned<LocalSession>> open_session(const Request& request);

  struct Entry {
    bool words_registered = false;
    bool flocked = false;           // we hold a flock(2), on the description that holds the slots
    bool near = false;              // we are near the head of its queue
    std::int64_t turn_seen_ns = 0;  // when our turn in the queue began, as of the last attempt
    bool header_changed = false;    // since `before`
    bool first_recorded = false;    // the record of slot 1 was written with the header
    Header before{};                // the header before the admission
    Instant admitted;
    Reservation reserved;  // its slots are those of held()
    LockFile file;
  };
  Entry& entry(std::uint32_t lock) { return lock == 0 ? first_.it : others_.it[lock - 1]; }
  const Entry& entry(std::uint32_t lock) const {
    return lock == 0 ? first_.it : others_.it[lock - 1];
  }
  HeldLock& held(std::uint32_t lock) { return held_.it[lock]; }
  const HeldLock& held(std::uint32_t lock) const { return held_.it[lock]; }

  // Opening and the guards (session.cc).
  Status open_files();
  Status open_file(std::uint32_t lock);
  void close_files();
  Result<LockFile::Guarded> guard_all(std::uint32_t& culprit);
  void unguard_all();
  Result<LockFile*> guarded(std::uint32_t lock);

  // The C library's short way (together.cc).
  bool admit_together(DecideFn decide, const Instant& now, Ticket* queue, Result<Decision>& answer,
                      Lease& lease);
  Result<LockFile::Guarded> guard_to_release(std::uint32_t lock, const Lesson& lesson);

  // One attempt (attempt.cc; full.cc).
  bool refuses_unguarded(DecideFn decide, const Instant& now, Result<Decision>& answer);
  bool reopen(Result<Decision>& answer);
  bool open_and_guard(Result<Decision>& answer, bool& replaced);
  bool decide_guarded(DecideFn decide, const Instant& now, Ticket* queue, Result<Decision>& answer);
  void guard_timed_out(std::uint32_t culprit, Decision& busy) const;
  Status decide_all(DecideFn decide, const Instant& now, Ticket* queue, Decision& decision);
  Status decide_each(DecideFn decide, const Instant& now, Ticket* queue, Decision& decision);
  Status take_flocks(DecideFn decide, const Instant& now, Ticket* queue, Decision& decision);
  static void drop_flock(Entry& entry);
  View view_of(std::uint32_t lock, bool last_chance);
  Status look_at_queue(std::uint32_t lock, const Ticket* queue, View& view);
  Status after_refusal(const Decision& decision, const Instant& now, Ticket* queue);
  Status draw_tickets(const Instant& now, Ticket& queue);
  void drop_all();

  // What an admission writes (lease.cc).
  Status commit(const Instant& now, Ticket* queue);
  void take_back(std::uint32_t count);
  Status admit_to(std::uint32_t lock, const Instant& now);
  void note_vanished(std::uint32_t lock);
  void write_hints(std::uint32_t lock, const Instant& now);
  std::uint32_t register_words(std::uint32_t lock);

  // Waiting (waiting.cc).
  Result<bool> wait_for_turn(const Ticket& ticket, std::int64_t deadline_boot_ns, Wake& wake);
  Result<Wake> wait_behind_others(std::uint32_t lock, const Ticket& ticket,
                                  std::int64_t deadline_boot_ns, bool& gone);
  bool should_ask(std::uint32_t lock, std::uint64_t ticket);
  bool waits_for_handover() const;
  bool wait_for_handover(std::int64_t deadline_boot_ns, Wake& wake);
  void settle_own_turns(const Decision& decision, const Ticket& ticket);

  // The hold.
  Contest contested(std::uint32_t lock) const override;
  bool in_place(std::uint32_t lock) const override;
  void release(Ending ending, const Instant& now, const Lesson& lesson) override;
  bool release_one(std::uint32_t lock, Ending ending, const Instant& now, const Lesson& lesson);
  void learn_from_run(std::uint32_t lock, const Lesson& lesson);
  bool is_locked_beside(std::uint32_t lock, std::int64_t (*byte_of)(std::uint32_t)) const;
  bool clear_own_words(std::uint32_t lock);
  void let_go(Entry& entry);

  const Request* request_ = nullptr;
  std::uint32_t order_[kMaxLocks] = {};  // lock indices by device and inode: the order in which
                                         // guards are taken
  std::uint32_t count_ = 0;              // locks whose files are open or were
  std::uint32_t made_ = 0;               // entries that are made
  std::uint32_t stops_made_ = 0;
  std::uint32_t quick_looks_ = 0;
  bool opened_ = false;
  bool in_room_ = false;  // made by open_session()
  bool keeps_ = false;
  bool kept_ = false;        // open, but nothing is held or asked for
  bool reopened_ = false;    // open() found it open; nothing was attempted since
  std::uint64_t forks_ = 0;  // when the files were opened
  os::Owner owner_ = os::Owner::description;
  os::Blocking blocking_ = os::Blocking::alarm;
  Heirs heirs_ = Heirs::nobody;
  os::Mutex* opening_ = nullptr;
  Making making_;  // of the directory's statistics
  os::Watch watch_;
  // The large members, untouched until they are used. What a request for one lock uses lies side by
  // side, so that it shares a page of memory.
  Untouched<Entry> first_;
  Untouched<HeldLock[kMaxLocks]> held_;
  Untouched<Entry[kMaxLocks - 1]> others_;
  Untouched<LocalHolderStop[kMaxVictims]> stops_;
  Untouched<os::SeenDescendants> seen_;  // made with the first stop
  Untouched<HolderView[kMaxVictims]> holders_;
  Untouched<LockStats> lock_stats_;  // of the lock that is being decided about, for its view
  Untouched<DirectoryStats> directory_stats_;
  Untouched<WordBuffer> words_;
  Untouched<PathText> kept_path_;  // of a file that stays open (set_keeping())
};

// A session in memory of its own (os/room.h). Fails like LocalSession::open(), or for lack of
// memory.
Result<Owned<LocalSession>> open_session(const Request& request);

}  // namespace atmost::local

#endif
