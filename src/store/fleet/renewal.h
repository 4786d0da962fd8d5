// Keeps a lease of a store that many machines share: renews it in a thread of its own, and has the
// moment until which it is good.
#ifndef ATMOST_STORE_FLEET_RENEWAL_H
#define ATMOST_STORE_FLEET_RENEWAL_H

#include <atomic>
#include <cstdint>

#include "core/hold.h"
#include "os/threads.h"

namespace atmost::fleet {

enum class Renewed : std::uint8_t {
  yes,
  lost,     // the store reports that there is no such lease any more
  unknown,  // no answer that can be trusted: to be tried again
};

// A store's work for its lease. Both are called by the renewal's thread alone.
class Renewer {
 public:
  // One renewal; returns at the latest at `give_up_boot_ns`.
  virtual Renewed renew(std::int64_t give_up_boot_ns) = 0;
  // Blocks until a taker asks the holder to stop (true), until `until_boot_ns`, or until
  // Renewal::wake().
  virtual bool asked_to_stop(std::int64_t until_boot_ns) = 0;
  // True if the next renewal is urgent, for example because the holder's entry is gone.
  virtual bool doubts() { return false; }

 protected:
  ~Renewer() = default;
};

// One lease. The deadline is the boot clock at the *sending* of the last renewal that succeeded,
// plus the ttl: the store cannot have counted from an earlier moment. A machine that was suspended,
// or a process that was stopped, finds it passed. If the process dies, renewals end, and the lease
// ends within its ttl. Only the owner calls start(), stop() and cease(); any thread calls upkeep().
class Renewal {
 public:
  Renewal();
  Renewal(const Renewal&) = delete;
  Renewal& operator=(const Renewal&) = delete;
  ~Renewal();

  // Takes over a lease that was granted for `ttl` by a request sent at `sent_boot_ns`; renews it
  // every `pause`, but not when `reserve` or less is left of it. 0 or an errno value (no thread).
  int start(Renewer& renewer, std::int64_t sent_boot_ns, Duration ttl, Duration pause,
            Duration reserve = {});
  // Renews no more. Blocks until the thread has ended: at most for one renewal that hangs.
  void stop();
  // Renews no more, and does not wait for the thread. stop() or start() waits for it, and must be
  // called before the renewer is destroyed.
  void cease();

  // As with start(), from now on; they take effect at wake().
  void set_pause(Duration pause, Duration reserve) {
    pause_ns_ = pause.ns;
    reserve_ns_ = reserve.ns;
  }
  // Ends the renewer's asked_to_stop(), now or when it is called next. Called by any thread.
  void wake();
  // For the renewer: a descriptor that is readable from a wake() on; and a sleep until such a call,
  // after which it is not readable any more (true), or until that moment.
  int bell() const { return bell_; }
  bool rest(std::int64_t until_boot_ns);

  // A renewal that the renewer did not make, sent at that moment, has succeeded.
  void renewed(std::int64_t sent_boot_ns);

  // Says `lost` before start() and after a loss.
  Upkeep upkeep() const;
  bool running() const { return running_; }

 private:
  static void enter(void* self);
  void run();
  void renew();
  std::int64_t next_boot_ns() const;
  void poke();

  Renewer* renewer_ = nullptr;
  Duration ttl_;
  std::atomic<std::int64_t> pause_ns_ = 0;
  std::atomic<std::int64_t> reserve_ns_ = 0;
  std::int64_t again_boot_ns_ = 0;  // the next renewal, when it is not in its turn; 0: it is
  os::Thread thread_;
  bool running_ = false;
  const int bell_;  // an eventfd
  std::atomic<bool> ending_ = false;
  std::atomic<bool> lost_ = false;
  std::atomic<bool> asked_ = false;
  std::atomic<std::int64_t> until_boot_ns_ = 0;
};

}  // namespace atmost::fleet

#endif
