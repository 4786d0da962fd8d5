// Memory and PostgreSQL, asked alike (twins.h).
#include <memory>

#include "postgres/kit/clocked.h"
#include "postgres/kit/cluster.h"
#include "store/postgres/address.h"
#include "store/postgres/store.h"
#include "twins.h"

namespace atmost::twins {
namespace {

class Postgres final : public Other {
 public:
  Postgres() : session_(cluster_.url()) {
    postgres_kit::make_clock(session_);
    const Request none;
    const Instant now = moment(none);
    Result<postgres::Address> address = postgres::parse_address(cluster_.url());
    postgres::Settings settings;
    settings.clock = postgres_kit::kClockSql;
    store_ = std::make_unique<postgres_kit::ClockedStore>(
        session_, std::make_unique<postgres::PostgresStore>(std::move(address.value()), settings),
        now.real_ns - now.boot_ns);
  }

  Side begin(unsigned seed) override {
    return {store_.get(), "postgres://there/base/twin" + std::to_string(seed), open_any};
  }

 private:
  postgres_kit::Cluster cluster_;
  postgres_kit::Session session_;
  std::unique_ptr<postgres_kit::ClockedStore> store_;
};

}  // namespace
}  // namespace atmost::twins

int main(int argc, char** argv) {
  atmost::twins::Postgres postgres;
  return atmost::twins::compare(postgres, argc, argv);
}
