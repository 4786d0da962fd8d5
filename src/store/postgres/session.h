// The locks of one request in a PostgreSQL database (docs/fleet-postgres.md). snapshot.cc builds
// the view of a decision.
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
#include "store/fleet/termination_latch.h"

namespace atmost::postgres {

class HeldLease;
class PostgresHolderStop;
class PostgresStore;
struct Attempt;
struct Snapshot;

// Every decision is one transaction that locks the row of each of its locks (in the order of their
// names). The server ends a transaction whose client is idle for 2/5 of the timeout. Only the
// server's clock measures ages, intervals and leases; `now` only translates them to our clock, and
// counts itself when it was given.
//
// A hold is a row for each slot, with a token, good until `expires`. A thread (fleet::Renewal)
// renews it on the same connection; if that breaks, on a new one, under the same token. If this
// process or its machine dies, or the connection stays broken, the slots are free when the last
// renewal's ttl is over. Waiters that die are passed over at once, because the server sees that
// their session's advisory lock is free; if that fails, after 30 s. If the server stops answering,
// a waiter knows it a second after the timeout.
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

  Result<Decision> attempt(DecideFn decide, const Instant& now, Ticket* queue,
                           Lease& lease) override;
  Result<Wake> await(Ticket& ticket, std::int64_t deadline_boot_ns) override;
  void withdraw(Ticket& ticket) override;
  Result<std::uint32_t> count_refusal(std::uint32_t lock) override;
  bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) override;
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override;
  Text<80> lease_name() const override;
  void close() override;

 private:
  friend class HeldLease;
  friend class PostgresHolderStop;
  ~PostgresSession();

  void begin_attempt(Attempt& attempt) const;
  static Duration recovery(Connection& connection, const Attempt& attempt,
                           std::int64_t deadline_boot_ns);
  void attempt_once(Connection& connection, Attempt& attempt, std::int64_t deadline_boot_ns);
  struct Due {
    bool for_rate = false;  // it waits for its rate (waits_for_rate())
    std::int64_t at = 0;    // µs by the server's clock; 0: it has no rate
    std::int64_t boot_ns = 0;
    bool changed = false;  // since the attempt before
  };
  Due due_of(const Attempt& attempt, const Decision& decision) const;
  Decision decide_all(Attempt& attempt, Duration recovering) const;
  void admit(Connection& connection, Attempt& attempt, std::int64_t deadline_boot_ns);
  void take_expired_out(Connection& connection, const Attempt& attempt,
                        std::int64_t deadline_boot_ns);
  void adopt_lease(Attempt& attempt, std::span<const class Rows> answers,
                   std::int64_t sent_boot_ns);
  void refuse(Connection& connection, Attempt& attempt, const Decision& decision,
              std::int64_t deadline_boot_ns);
  void add_clearance(std::vector<struct Statement>& to, const std::string& key,
                     std::uint64_t ticket) const;
  void doubt(Attempt& attempt);
  void add_questions(const Attempt& attempt, std::vector<struct Statement>& to) const;
  void plan_look(const Attempt& attempt, const Decision& decision);
  std::int64_t known_dead_by() const;
  void ask_whether_it_is_there();
  void refresh_place();
  void leave_queue();
  void end_if_signalled();

  PostgresStore& store_;
  const Request& request_;
  std::unique_ptr<Client> client_;
  // A transaction of ours was cut off, and may have been committed: no lease covers its rows.
  bool doubtful_ = false;
  std::unique_ptr<HeldLease> lease_;  // null: nothing is held
  std::vector<std::string> keys_;     // of the request's locks

  // Holders whose lease ended by the server's clock, by their tokens, and when they were asked
  // whether they still run.
  std::map<std::uint64_t, std::int64_t> questioned_;

  // For await():
  bool queued_ = false;
  std::int64_t look_again_ns_ = 0;
  std::int64_t refresh_ns_ = 0;
  std::int32_t place_key_ = 0;  // the Connection::session_key() in the row of our place
  fleet::TerminationLatch latch_;

  std::set<PostgresHolderStop*> stops_;  // under way
};

}  // namespace atmost::postgres

#endif
