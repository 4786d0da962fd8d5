// Locks in a PostgreSQL database (docs/fleet.md). schema.cc has the tables, look.cc what a decision
// is made of.
#ifndef ATMOST_STORE_POSTGRES_POSTGRES_STORE_H
#define ATMOST_STORE_POSTGRES_POSTGRES_STORE_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/store.h"
#include "store/fleet/termination_latch.h"

namespace atmost::postgres {

class Link;
class Hold;
struct Address;
struct Party;
struct Sight;
struct Viewer;

struct Settings {
  Duration timeout = Duration::seconds(5);  // for one call of the store, connecting included
  std::string clock =
      "clock_timestamp()";  // SQL: the time of admissions and ages. Tests have their own
  bool alone = false;       // in this process: signals that end it while it waits are ours to note
};

// The store that the URL names; one for the process, never given back. Asks nothing of the network
// yet. Errors (usage) do not repeat the URL.
Result<FleetStore*> open_store(std::string_view url);

// The schema, as `atmost schema postgres` prints it.
std::string schema_script();

// Every decision is one transaction that has the row of each lock it is about (in the order of
// their names). Whoever stands still inside one loses it after 2/5 of the timeout. Ages, intervals
// and leases are measured by the server's clock alone; `now` only says when that is on ours, and
// counts itself when it was given.
//
// A hold is a row for each slot, with a token, good until `expires`; a thread (fleet::Renewal)
// renews it on the same connection, and on a new one, under the same token, when that broke. If
// this process or its machine dies, or the connection stays broken, the slots are free when the
// last renewal's ttl is over. Waiters that die are passed over at once: the server notices that
// their session's advisory lock is free; should that fail, after 30 s. Of a server that does not
// answer any more a waiter knows a second after the timeout.
//
// One request at a time. Not thread-safe.
class PostgresStore final : public FleetStore {
 public:
  PostgresStore(Address address, Settings settings);
  PostgresStore(const PostgresStore&) = delete;
  PostgresStore& operator=(const PostgresStore&) = delete;
  ~PostgresStore();

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
  Result<std::uint32_t> count_refusal(const Request& request, std::uint32_t lock) override;
  bool contested(std::uint32_t handle, std::uint32_t lock) const override;
  Upkeep upkeep(std::uint32_t handle) const override;
  Status forget(const Request& request) override;
  const HeldLock& held(std::uint32_t handle, std::uint32_t lock) const override;
  void release(std::uint32_t handle, Ending ending, const Instant& now) override;
  Result<std::size_t> next_keys(std::string_view after, std::span<Text<255>> to) override;
  Result<Code> diagnose(int fd, bool json) override;
  Text<80> own_lease() const override;
  Status end_lease(std::string_view name) override;

 private:
  struct Asked;  // one attempt under way

  // Runs `work` on the connection, made if need be, within the timeout; again, on a new connection,
  // when that breaks and we had one before. Never longer than `not_after`. Throws Trouble.
  void talk(const std::function<void(Link&, std::int64_t deadline_boot_ns)>& work,
            bool needs_schema = true, std::int64_t not_after_boot_ns = Duration::kForever);
  Error error_of(const struct Trouble& trouble) const;

  Status begin_request(const Request& request, Asked& asked) const;
  static Duration recovery(Link& link, const Asked& asked, std::int64_t deadline_boot_ns);
  static void add_era(std::vector<struct Statement>& to, const Sight& sight, Duration ttl);
  void attempt_once(Link& link, Asked& asked, std::int64_t deadline_boot_ns);
  Decision decide_all(Asked& asked, Duration recovering) const;
  void admit(Link& link, Asked& asked, std::int64_t deadline_boot_ns);
  void take_expired_out(Link& link, const Asked& asked, std::int64_t deadline_boot_ns);
  void keep(Link& link, Asked& asked, std::span<const class Rows> answers,
            std::int64_t sent_boot_ns);
  void stay_out(Link& link, Asked& asked, const Decision& decision, std::int64_t deadline_boot_ns);
  std::vector<struct Statement> rehearsal() const;
  void add_clearance(std::vector<struct Statement>& to, const std::string& key,
                     std::uint64_t ticket) const;
  void doubt(Asked& asked);
  void add_questions(const Asked& asked, std::vector<struct Statement>& to) const;
  void plan_look(const Asked& asked, const Decision& decision);
  std::int64_t known_dead_by() const;
  void ask_whether_it_is_there();
  void refresh_place();
  void leave_queue();
  void leave_if_told();
  void unclaim(std::uint32_t lock, std::uint32_t slot);

  const std::unique_ptr<const Address> address_;
  const Settings settings_;
  const std::unique_ptr<const Party> party_;
  std::unique_ptr<Link> link_;
  bool doubtful_ = false;  // a transaction of ours broke off, and may have been committed: rows of
                           // ours are nobody's
  std::vector<std::unique_ptr<Hold>> holds_;
  std::vector<std::string> keys_;  // of the request that was attempted last

  // Holders whose lease ended by the server's clock, by their tokens, and when they were asked
  // whether they are there.
  std::map<std::uint64_t, std::int64_t> questioned_;

  // For await():
  bool queued_ = false;
  std::int64_t look_again_ns_ = 0;
  std::int64_t refresh_ns_ = 0;
  std::int32_t place_key_ = 0;  // Link::session_key() that our place is known by
  fleet::TerminationLatch latch_;

  std::set<std::pair<std::uint32_t, std::uint32_t>> begun_;  // locks and slots that we take over

  // For press(): what was found last, so that a taker who looks every few milliseconds does not ask
  // the server as often.
  std::int64_t looked_ns_ = 0;
  std::uint64_t looked_hold_ = 0;
  std::int64_t looked_level_ = 0;
  SignalResult found_;
};

}  // namespace atmost::postgres

#endif
