#include <unistd.h>

#include "contract.h"
#include "postgres/kit/cluster.h"
#include "store/postgres/address.h"
#include "store/postgres/postgres_store.h"

namespace atmost::contract {
namespace {

// One cluster for all tests of this program.
postgres_kit::Cluster& cluster() {
  static postgres_kit::Cluster* const kCluster = [] {
    static postgres_kit::Cluster made;
    return &made;
  }();
  return *kCluster;
}

// The suite says what time it is, and this store asks the server: so the server's clock (a table
// here) is set to what each call says, before it is made. A wall clock that is stepped moves no
// server's clock: the boot clock counts.
class Clocked final : public Store {
 public:
  Clocked(postgres_kit::Session& clock, std::unique_ptr<postgres::PostgresStore> store)
      : clock_(clock), store_(std::move(store)) {}

  Capabilities capabilities() const override { return store_->capabilities(); }
  Result<Decision> attempt(const Request& request, DecideFn decide, const Instant& now,
                           Ticket* queue, Lease& lease) override {
    set(now);
    Lease granted;
    Result<Decision> answer = store_->attempt(request, decide, now, queue, granted);
    if (granted.held()) {
      leases_.push_back(std::move(granted));
      lease = Lease(this, static_cast<std::uint32_t>(leases_.size() - 1));
    }
    return answer;
  }
  Result<Wake> await(const Request& request, Ticket& ticket, std::int64_t deadline) override {
    return store_->await(request, ticket, deadline);
  }
  void withdraw(const Request& request, Ticket& ticket) override {
    store_->withdraw(request, ticket);
  }
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override {
    set(now);
    return store_->inspect(lock, now, visitor);
  }
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override {
    return store_->set_drained(request, slot, drained);
  }
  Result<bool> begin_takeover(std::uint32_t lock, std::uint32_t slot) override {
    return store_->begin_takeover(lock, slot);
  }
  Result<SignalResult> press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                             SignalStep pressure) override {
    return store_->press(lock, slot, hold, pressure);
  }
  void end_takeover(std::uint32_t lock, std::uint32_t slot) override {
    store_->end_takeover(lock, slot);
  }
  Result<std::uint32_t> count_refusal(const Request& request, std::uint32_t lock) override {
    return store_->count_refusal(request, lock);
  }
  bool contested(std::uint32_t handle, std::uint32_t lock) const override {
    return leases_[handle].contested(lock);
  }
  Status forget(const Request& request) override { return store_->forget(request); }
  const HeldLock& held(std::uint32_t handle, std::uint32_t lock) const override {
    return leases_[handle].lock(lock);
  }
  void release(std::uint32_t handle, Ending ending, const Instant& now) override {
    set(now);
    leases_[handle].release(ending, now);
  }

 private:
  void set(const Instant& now) {
    if (now.given) return;
    const std::int64_t micros = (kEpochNs + now.boot_ns - kUptimeNs) / 1000;
    clock_.ask("UPDATE public.clock SET at = 'epoch'::timestamptz + " + std::to_string(micros) +
               " * interval '1 microsecond'");
  }

  postgres_kit::Session& clock_;
  std::unique_ptr<postgres::PostgresStore> store_;
  std::vector<Lease> leases_;
};

class PostgresWorld final : public World {
 public:
  PostgresWorld() : session_(cluster().url()) {
    static unsigned worlds = 0;
    name_ = "w" + std::to_string(++worlds);
    session_.ask("CREATE TABLE IF NOT EXISTS public.clock (at timestamptz)");
    session_.ask("DELETE FROM public.clock");
    session_.ask("INSERT INTO public.clock VALUES ('2023-11-14 22:13:20+00')");  // at(0)
  }
  ~PostgresWorld() override { callers_.clear(); }

  Store& caller() override {
    Result<postgres::Address> address = postgres::parse_address(cluster().url());
    EXPECT_TRUE(address.ok());
    postgres::Settings settings;
    settings.clock = "(SELECT at FROM public.clock)";
    callers_.push_back(std::make_unique<Clocked>(
        session_, std::make_unique<postgres::PostgresStore>(std::move(address.value()), settings)));
    return *callers_.back();
  }
  void point(LockSpec& spec, unsigned index) override {
    spec.path = PathText("postgres://there/base/" + name_ + "." + std::to_string(index));
  }
  std::set<std::string> lacks() override { return {"processes", "turns"}; }
  // But for what a renewal changes.
  std::optional<std::string> bytes() override {
    std::string all;
    for (const char* sql :
         {"SELECT l FROM atmost.lock l WHERE name LIKE '",
          "SELECT t FROM atmost.takeover t WHERE lock LIKE '",
          "SELECT h.slot, h.token, h.asked FROM atmost.holder h WHERE lock LIKE '",
          "SELECT w FROM atmost.waiter w WHERE lock LIKE '"}) {
      for (const std::string& row : session_.ask(sql + name_ + ".%' ORDER BY 1")) all += row + "\n";
    }
    return all;
  }

 private:
  postgres_kit::Session session_;
  std::string name_;
  std::vector<std::unique_ptr<Clocked>> callers_;
};

std::unique_ptr<World> postgres_world() { return std::make_unique<PostgresWorld>(); }

}  // namespace

ATMOST_CONTRACT(postgres, postgres_world);

}  // namespace atmost::contract
