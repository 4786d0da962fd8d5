#include <unistd.h>

#include "contract.h"
#include "postgres/kit/cluster.h"
#include "store/postgres/address.h"
#include "store/postgres/store.h"

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
class Clock {
 public:
  explicit Clock(postgres_kit::Session& server) : server_(server) {}
  void set(const Instant& now) {
    if (now.given) return;
    const std::int64_t micros = (kEpochNs + now.boot_ns - kUptimeNs) / 1000;
    server_.ask("UPDATE public.clock SET at = 'epoch'::timestamptz + " + std::to_string(micros) +
                " * interval '1 microsecond'");
  }

 private:
  postgres_kit::Session& server_;
};

class ClockedHold final : public Hold {
 public:
  ClockedHold(Clock& clock, Lease lease)
      : Hold(&lease.lock(0)), clock_(clock), lease_(std::move(lease)) {}
  Upkeep upkeep() const override { return lease_.upkeep(); }
  Contest contested(std::uint32_t lock) const override { return lease_.contested(lock); }
  void release(Ending ending, const Instant& now, const Lesson& lesson) override {
    clock_.set(now);
    lease_.release(ending, now, lesson);
  }

 private:
  Clock& clock_;
  Lease lease_;
};

class ClockedSession final : public Session {
 public:
  ClockedSession(Clock& clock, Owned<Session> session)
      : clock_(clock), session_(std::move(session)) {}
  Result<Decision> attempt(DecideFn decide, const Instant& now, Ticket* queue,
                           Lease& lease) override {
    clock_.set(now);
    Lease granted;
    Result<Decision> answer = session_->attempt(decide, now, queue, granted);
    if (granted.held()) {
      hold_ = std::make_unique<ClockedHold>(clock_, std::move(granted));
      lease = Lease(hold_.get());
    }
    return answer;
  }
  Result<Wake> await(Ticket& ticket, std::int64_t deadline) override {
    return session_->await(ticket, deadline);
  }
  void withdraw(Ticket& ticket) override { session_->withdraw(ticket); }
  Result<std::uint32_t> count_refusal(std::uint32_t lock) override {
    return session_->count_refusal(lock);
  }
  bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) override {
    return session_->learn(lock, how, sample);
  }
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override {
    return session_->stop(lock, slot, hold, what_for);
  }
  Text<80> lease_name() const override { return session_->lease_name(); }
  void close() override { delete this; }

 private:
  Clock& clock_;
  Owned<Session> session_;
  std::unique_ptr<ClockedHold> hold_;
};

class ClockedStore final : public Store {
 public:
  ClockedStore(postgres_kit::Session& server, Owned<Store> store)
      : clock_(server), store_(std::move(store)) {}
  const StoreTraits& traits() const override { return store_->traits(); }
  Result<Owned<Session>> open(const Request& request) override {
    Result<Owned<Session>> opened = store_->open(request);
    if (!opened.ok()) return opened;
    return Owned<Session>(new ClockedSession(clock_, std::move(opened.value())));
  }
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override {
    clock_.set(now);
    return store_->inspect(lock, now, visitor);
  }
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override {
    return store_->set_drained(request, slot, drained);
  }
  Result<StatsKept> recall(const Request& request, LockStats& lock,
                           DirectoryStats& directory) override {
    return store_->recall(request, lock, directory);
  }
  Status forget(const Request& request) override { return store_->forget(request); }

 private:
  Clock clock_;
  Owned<Store> store_;
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
    callers_.push_back(std::make_unique<ClockedStore>(
        session_, Owned<Store>(new postgres::PostgresStore(std::move(address.value()), settings))));
    return *callers_.back();
  }
  void point(LockSpec& spec, unsigned index) override {
    spec.path = PathText("postgres://there/base/" + name_ + "." + std::to_string(index));
  }
  std::set<std::string> lacks() override { return {"processes", "turns", "withdraws"}; }
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
  std::vector<std::unique_ptr<ClockedStore>> callers_;
};

std::unique_ptr<World> postgres_world() { return std::make_unique<PostgresWorld>(); }

}  // namespace

ATMOST_CONTRACT(postgres, postgres_world);

}  // namespace atmost::contract
