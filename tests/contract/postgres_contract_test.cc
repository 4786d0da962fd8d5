#include <unistd.h>

#include "contract.h"
#include "postgres/kit/clocked.h"
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

class PostgresWorld final : public World {
 public:
  PostgresWorld() : session_(cluster().url()) {
    static unsigned worlds = 0;
    name_ = "w" + std::to_string(++worlds);
    postgres_kit::make_clock(session_);
  }
  ~PostgresWorld() override { callers_.clear(); }

  Store& caller() override {
    Result<postgres::Address> address = postgres::parse_address(cluster().url());
    EXPECT_TRUE(address.ok());
    postgres::Settings settings;
    settings.clock = postgres_kit::kClockSql;
    callers_.push_back(std::make_unique<postgres_kit::ClockedStore>(
        session_, std::make_unique<postgres::PostgresStore>(std::move(address.value()), settings),
        kEpochNs - kUptimeNs));
    return *callers_.back();
  }
  void point(LockSpec& spec, unsigned index) override {
    spec.path = kept("postgres://there/base/" + name_ + "." + std::to_string(index));
  }
  std::set<std::string> lacks() override { return {"processes"}; }
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
  std::vector<std::unique_ptr<postgres_kit::ClockedStore>> callers_;
};

std::unique_ptr<World> postgres_world() { return std::make_unique<PostgresWorld>(); }

}  // namespace

ATMOST_CONTRACT(postgres, postgres_world);

}  // namespace atmost::contract
