// The locks of one request in a directory that machines share (docs/fleet-shared.md).
#ifndef ATMOST_STORE_SHARED_SESSION_H
#define ATMOST_STORE_SHARED_SESSION_H

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/session.h"
#include "rule/judge.h"
#include "store/fleet/renewal.h"
#include "store/local/session.h"
#include "worker.h"

namespace atmost::shared {

class SharedSession;

// The state that jobs use, in the worker's thread alone: so it outlives a session whose server
// hangs.
struct Core final : Section {
  // Paths without the scheme. All views but those of its locks are the caller's.
  Core(const Request& from, OpenTo how);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  // Examines the directory and opens the files, once.
  Status open();
  Status look(const Attempt& attempt, rule::Looked& to) override;
  // A job that is late admits nobody: its caller has gone.
  Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
               rule::Applied& to) override;

  ScopedArena texts;
  Request request;
  const std::string directory;
  local::LocalSession session;
  const OpenTo how;
  bool opened = false;
  Status clock;  // whether it agrees with the server's, if the request goes by it
  Ticket ticket;
  Lease lease;
  std::atomic<bool> given_up = false;  // nobody waits for the job any more: it admits nobody
};

// A lease that is held: a heartbeat in each of its files. The renewal's thread proves the hold; the
// calls on the files are made by the worker. So neither the supervisor nor the renewal blocks with
// the server.
class HeldLease final : private fleet::Renewer {
 public:
  // REQUIRES: the session's worker is idle, and its core has a lease.
  explicit HeldLease(SharedSession& session);
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;
  ~HeldLease();

  // Proves the hold once, and begins to renew it. The lease counts from before that proof.
  Status begin();

  const HeldLock* held() const { return held_.data(); }
  Upkeep upkeep() const;
  void release(Ending ending, const Instant& now);

 private:
  fleet::Renewed renew(std::int64_t give_up_boot_ns) override;
  bool asked_to_stop(std::int64_t until_boot_ns) override;

  HeldLease(SharedSession& session, std::vector<HeldLock> held);

  SharedSession& session_;
  const std::vector<HeldLock> held_;
  std::atomic<std::uint64_t> beats_ = 0;
  std::atomic<Contest> contest_ = Contest::none;
  fleet::Renewal renewal_;
};

// Locks are bytes of files, as in store/local, and each call on a file is made by a worker, so that
// a server that hangs blocks no caller for longer than its limit. A hold is kept by the server,
// which frees it a while after the machine's last message (90 s for Linux, unless it is set). So
// the holder writes into its file several times in a ttl, with the descriptor that holds the lock;
// when no write has succeeded for a ttl, it ends its command.
//
// If this process dies, its slots are free when no process of the command is left, which have the
// descriptor; if its machine dies or is cut off, when the server's lease for it ends.
//
// One request at a time. Not thread-safe.
class SharedSession final : public Session {
 public:
  SharedSession(const Request& request, OpenTo how);
  SharedSession(const SharedSession&) = delete;
  SharedSession& operator=(const SharedSession&) = delete;

  // The locks are judged where they are looked at, too: all of an attempt is one job.
  Status look(const Attempt& attempt, rule::Looked& to) override;
  Status apply(const rule::Plan&, const Instant&, Ticket*, rule::Applied&) override { return {}; }
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  Result<Edited> edit(std::uint32_t lock, const Edit& edit) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  Upkeep upkeep(About what, std::uint32_t lock) const override;
  void end(const End& what) override;

 private:
  friend class HeldLease;
  class Stop;

  ~SharedSession() = default;
  // Runs a job on the core, and waits for it for a few seconds. False: the server is silent.
  template <class Job>
  bool run(Job job, std::int64_t until_boot_ns);
  template <class Job>
  bool run(Job job);
  void leave_queue(Ticket& ticket);
  void release(Ending ending, const Instant& now);
  Status settle(Ticket* queue, rule::Looked& to);

  std::shared_ptr<Core> core_;
  std::unique_ptr<HeldLease> lease_;
  Worker worker_;  // ends before the rest
};

// The time for which an answer is awaited: the guard may be held for five seconds.
inline constexpr Duration kPatience = Duration::seconds(10);

}  // namespace atmost::shared

#endif
