// The locks of one request in a PostgreSQL database (docs/fleet-postgres.md), and its lease.
#ifndef ATMOST_STORE_POSTGRES_SESSION_H
#define ATMOST_STORE_POSTGRES_SESSION_H

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client.h"
#include "core/session.h"
#include "facts.h"
#include "other_hosts.h"
#include "rule/judge.h"
#include "statements.h"
#include "store/fleet/renewal.h"
#include "store/fleet/termination_latch.h"

namespace atmost::postgres {

class PostgresSession;
class PostgresStore;

// A lease that is held: its rows, and the connection on which they are renewed, which belongs to it
// while it lasts, and only the renewal's thread uses it.
class HeldLease final : private fleet::Renewer {
 public:
  // `rows` and `held` in the request's order.
  HeldLease(PostgresSession& session, std::unique_ptr<Connection> connection,
            std::vector<HeldRows> rows, std::vector<HeldLock> held, Duration ttl);
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;
  ~HeldLease();

  // 0 or an errno value.
  int start(std::int64_t sent_boot_ns, Duration pause, Duration reserve);

  const std::vector<HeldRows>& rows() const { return rows_; }
  const HeldLock* held() const { return held_.data(); }
  Upkeep upkeep() const { return renewal_.upkeep(); }
  // Ends with the lease: until when the slots stay held all the same, because the server did not
  // answer; 0: they are free.
  std::int64_t release(Ending ending, const Instant& now);

 private:
  fleet::Renewed renew(std::int64_t give_up_boot_ns) override;
  bool asked_to_stop(std::int64_t until_boot_ns) override;
  bool doubts() override { return std::exchange(news_, false); }

  // Stops renewing, at once; returns the connection, perhaps closed.
  std::unique_ptr<Connection> stop();
  std::vector<HeldRows> sorted_rows() const;
  void give_back(Connection& connection, Ending ending, const Instant& now,
                 std::int64_t deadline_boot_ns) const;
  void look_at_hosts();
  bool overtaken(std::int64_t give_up_boot_ns);
  bool told_to_stop();
  bool news(std::int64_t until_boot_ns);

  PostgresSession& session_;
  std::unique_ptr<Connection> connection_;
  const std::vector<HeldLock> held_;
  const std::vector<HeldRows> rows_;
  const Duration ttl_;
  bool news_ = false;               // another caller asks whether we still run: a renewal answers
  std::shared_ptr<HostLook> look_;  // under way, or ended since the last renewal
  fleet::Renewal renewal_;
};

// Every decision is one transaction that locks the row of each of its locks (in the order of their
// names), reads them, and writes what the rule made of that (src/rule/). The server ends a
// transaction whose client is idle for 2/5 of the timeout. Only the server's clock measures ages,
// intervals and leases; `now` only translates them to our clock, and counts itself when it was
// given.
//
// A hold is a row for each slot, with a token, good until `expires`. A thread (fleet::Renewal)
// renews it on the same connection; if that breaks, on a new one, under the same token. If this
// process or its machine dies, or the connection stays broken, the slots are free when the last
// renewal's ttl is over. Waiters that die are passed over at once, because the server sees that
// their session's advisory lock is free; if that fails, after 30 s. If the server stops answering,
// a waiter notices it a second after the timeout.
//
// One request at a time. Not thread-safe.
class PostgresSession final : public Session {
 public:
  // Borrows the store, whose client it uses until close().
  PostgresSession(PostgresStore& store, const Request& request, std::unique_ptr<Client> client);
  PostgresSession(const PostgresSession&) = delete;
  PostgresSession& operator=(const PostgresSession&) = delete;

  // The first call. Error: usage.
  Status prepare();

  Status look(const Attempt& attempt, rule::Looked& to) override;
  Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
               rule::Applied& to) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  Result<Edited> edit(std::uint32_t lock, const Edit& edit) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  Upkeep upkeep(About what, std::uint32_t lock) const override;
  void end(const End& what) override;

 private:
  friend class HeldLease;
  class Stop;
  ~PostgresSession() = default;

  void look_once(Connection& connection, MomentFn moment, const Ticket* queue,
                 std::int64_t deadline_boot_ns);
  bool place_is_gone(const Ticket* queue) const;
  void recover(Connection& connection, std::int64_t deadline_boot_ns);
  void doubt();
  void add_clearance(std::vector<Statement>& to, const std::string& key,
                     std::uint64_t ticket) const;
  void take_expired_out(Connection& connection) const;
  const HeldLock* admit(Connection& connection, const rule::Plan& plan, const Instant& now,
                        Ticket* queue);
  const HeldLock* adopt_lease(std::vector<HeldLock> held, std::int64_t sent_boot_ns,
                              const Instant& now);
  void write(const rule::Plan& plan, const Instant& now, Ticket* queue, rule::Applied& to);
  void refuse(Connection& connection, const rule::Plan& plan, Ticket* queue);
  void add_plan(const rule::Plan& plan, std::vector<Statement>& to) const;
  void add_questions(std::vector<Statement>& to) const;
  void plan_look(const Ticket& queue, const Decision& decision);
  std::int64_t known_dead_by() const;
  void ask_whether_it_is_there();
  void refresh_place();
  void release(Ending ending, const Instant& now);
  void give_up_place(Ticket& ticket);
  void leave_queue();
  void end_if_signalled();

  PostgresStore& store_;
  const Request& request_;
  std::unique_ptr<Client> client_;
  // A transaction of ours was cut off, and may have been committed: no lease covers its rows.
  bool doubtful_ = false;
  std::int64_t left_until_ns_ = 0;    // the last release had no answer: its lease ends then
  std::unique_ptr<HeldLease> lease_;  // null: nothing is held
  std::vector<std::string> keys_;     // of the request's locks

  // Of the attempt under way. The locks are in the order of their keys, in which every caller locks
  // their rows.
  std::vector<std::unique_ptr<LockFacts>> locks_;
  std::vector<rule::Facts*> facts_;  // the same, in the request's order
  std::int64_t deadline_ns_ = 0;
  Clocks clocks_;
  Duration recovering_{};  // so long there are no admissions (admission.cc)
  bool doubts_ = false;    // some holders are given time to answer

  // Holders whose lease ended by the server's clock, by lock (its index) and token, and when they
  // were asked whether they still run.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::int64_t> questioned_;

  // For await():
  bool queued_ = false;
  std::int64_t look_again_ns_ = 0;
  std::int64_t refresh_ns_ = 0;
  std::int32_t place_key_ = 0;  // the Connection::session_key() in the row of our place
  fleet::TerminationLatch latch_;

  std::set<Stop*> stops_;  // under way
};

}  // namespace atmost::postgres

#endif
