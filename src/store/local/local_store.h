// Locks in files (docs/lock-map.md): the store that everything else is measured against.
#ifndef ATMOST_STORE_LOCAL_LOCAL_STORE_H
#define ATMOST_STORE_LOCAL_LOCAL_STORE_H

#include <cstdint>

#include "core/store.h"
#include "family.h"
#include "lock_file.h"
#include "os/watch.h"
#include "remembering.h"
#include "slots.h"

namespace atmost::local {

// The locks of one request. One request at a time; the files stay open from its first attempt to
// release(), close() or destruction. About 300 KiB, mostly untouched: meant to be static. Not
// thread-safe; threads use one each. If the process dies, its slots are free as soon as nobody has
// inherited the descriptors.
class LocalStore final : public Store {
 public:
  LocalStore() = default;
  LocalStore(const LocalStore&) = delete;
  LocalStore& operator=(const LocalStore&) = delete;
  ~LocalStore() { close(); }

  Capabilities capabilities() const override;
  Result<Decision> attempt(const Request& request, DecideFn decide, const Instant& now,
                           Ticket* queue, Lease& lease) override;
  Result<Wake> await(const Request& request, Ticket& ticket,
                     std::int64_t deadline_boot_ns) override;
  void withdraw(const Request& request, Ticket& ticket) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override;
  Result<bool> begin_takeover(std::uint32_t lock, std::uint32_t slot) override;
  Result<SignalResult> press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                             SignalStep pressure) override;
  void end_takeover(std::uint32_t lock, std::uint32_t slot) override;
  std::uint32_t survivors(std::span<const std::uint64_t> tokens,
                          std::span<std::int64_t> to) const override;
  Result<std::uint32_t> count_refusal(const Request& request, std::uint32_t lock) override;
  bool contested(std::uint32_t handle, std::uint32_t lock) const override;
  void mark_as_kill(std::uint32_t lock, std::uint32_t slot) override;
  bool stopped_by_kill(std::uint32_t handle, std::uint32_t lock) const override;
  void learn(const Request& request, std::uint32_t lock, LearnFn how,
             const RunSample& what) override;
  void learn_at_release(std::uint32_t handle, LearnFn how, const RunSample& what) override;
  Result<bool> recall(const Request& request, LockStats& memory,
                      DirectoryStats& experience) override;
  Status forget(const Request& request) override;
  bool in_place(std::uint32_t handle, std::uint32_t lock) const override;
  const HeldLock& held(std::uint32_t handle, std::uint32_t lock) const override;
  void release(std::uint32_t handle, Ending ending, const Instant& now) override;

  // What kind of holder this program is: written into records. Default: supervised.
  void set_kind(HolderKind kind) { kind_ = kind; }
  // How its calls may block: see os::Blocking.
  void set_blocking(os::Blocking blocking) {
    for (Entry& entry : entries_) entry.file.set_blocking(blocking);
  }

  // Who else may come to have what slots are held by: see Heirs. Default: nobody.
  void set_heirs(Heirs heirs, os::Mutex* opening = nullptr) {
    heirs_ = heirs;
    opening_ = opening;
  }
  // For a forked child that keeps nothing but the slots. Async-signal-safe.
  void close_private();

  // Whether a taker has asked for a slot back that we hold (Eviction::revoke). What is written to
  // the lock file from now on wakes who waits for `watch`. Not while another thread is in attempt()
  // or release().
  bool revoked(os::Watch& watch) const;

  // Writes into the records of what is held that process `pid` is the holder: one that inherited
  // the descriptors. REQUIRES: a lease is held.
  void name_holder(std::int64_t pid);
  // For that process itself, when the one it inherited them from holds nothing any more: what
  // proves it the holder where several users may write the lock (proof.h). REQUIRES: a lease is
  // held.
  void leave_proofs();

  // Whether every file that is held is still the one behind its path: only then is anybody kept
  // out.
  bool in_place() const;

  // Gives up everything that is open.
  void close();

 private:
  struct Entry {
    bool words_registered = false;
    bool flocked = false;           // by us, on the description that holds the slots
    bool near = false;              // we are near the head of its queue
    std::int64_t turn_seen_ns = 0;  // our turn in it as of the last attempt
    LockFile file;
    Header before{};  // as it was when the admission began
    Reservation reserved;
    HeldLock held;
    Instant admitted;
  };
  bool opened_for(const Request& request) const;
  Status open_all(const Request& request);
  Result<LockFile::Guarded> guard_all(const Request& request, std::uint32_t& culprit);
  void unguard_all();
  Result<Decision> decide_all(const Request& request, DecideFn decide, const Instant& now,
                              Ticket* queue);
  Result<Decision> take_flocks(const Request& request, DecideFn decide, const Instant& now,
                               Ticket* queue, const Decision& admitted);
  static void drop_flock(Entry& entry);
  View view_of(const Request& request, Entry& entry, const LockSpec& spec, bool last_chance);
  Status after_refusal(const Request& request, const Decision& decision, const Instant& now,
                       Ticket* queue);
  Status commit(const Request& request, const Instant& now, Ticket* queue);
  void take_back(const Request& request, std::uint32_t count);
  Status admit_to(const Request& request, std::uint32_t lock, const Instant& now);
  void write_hints(const Request& request, std::uint32_t lock, const Instant& now);
  void drop_all();
  bool clear_own_words(Entry& entry);
  Result<bool> wait_for_turn(const Request& request, const Ticket& ticket,
                             std::int64_t deadline_boot_ns, Wake& wake);
  Result<Wake> wait_behind_others(const Request& request, std::uint32_t lock, std::uint64_t ticket,
                                  std::int64_t deadline_boot_ns, bool& gone);
  bool should_ask(const LockSpec& spec, std::uint32_t lock, std::uint64_t ticket);
  static bool waits_for_handover(const Request& request);
  bool wait_for_handover(const Request& request, std::int64_t deadline_boot_ns, Wake& wake);
  void settle_own_turns(const Request& request, std::uint32_t last, const Ticket& ticket);
  void let_go(Entry& entry);
  void release_one(Entry& entry, Ending ending, const Instant& now);
  void show_memory(const LockFile& file, View& view);
  void remember_run(Entry& entry);

  // Handed to each file that is opened: those of the other entries are pages that nobody has
  // touched.
  Heirs heirs_ = Heirs::nobody;
  os::Mutex* opening_ = nullptr;
  std::uint32_t order_[kMaxLocks] =
      {};  // indices of entries_ by device and inode: the order guards are taken in
  std::uint32_t count_ = 0;
  bool opened_ = false;
  os::Owner owner_ = os::Owner::description;
  HolderKind kind_ = HolderKind::supervised;
  os::Watch watch_;
  std::uint32_t quick_looks_ = 0;
  Making making_;            // of the directory's experience, by the last request
  LearnFn learn_ = nullptr;  // for the release of what is held
  RunSample happened_;
  // The large ones last: an ordinary admission touches few pages.
  Entry entries_[kMaxLocks];
  HolderView holders_[kMaxVictims];
  static bool is_locked_beside(const Entry& entry, std::int64_t (*byte_of)(std::uint32_t));

  static void note_vanished(Entry& entry);

  bool kills_ = false;  // mark_as_kill() was called
  Family family_;
  LockStats memory_{};  // of the lock that is being decided about, for its view
  DirectoryStats experience_{};
  WordBuffer words_;
};

}  // namespace atmost::local

#endif
