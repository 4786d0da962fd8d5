// Callers behind a spoiled wire, and what must hold whatever is spoiled.
#ifndef ATMOST_TESTS_POSTGRES_WIRE_KIT_H
#define ATMOST_TESTS_POSTGRES_WIRE_KIT_H

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kit/cluster.h"
#include "kit/wire.h"
#include "os/clock.h"
#include "policy/decide.h"
#include "process/temp_dir.h"
#include "rule/judge.h"
#include "store/postgres/address.h"
#include "store/postgres/store.h"

namespace postgres_kit {

using atmost::Decision;
using atmost::Duration;
using atmost::Lease;
using atmost::Result;
using atmost::Verdict;

#ifdef ATMOST_TESTS_ALL
inline constexpr Duration kTimeout = Duration::millis(100);  // thousands of faults take all of it
#else
inline constexpr Duration kTimeout = Duration::millis(200);
#endif

class Spoiled : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = std::make_unique<Cluster>(); }
  static void TearDownTestSuite() { cluster_.reset(); }

  Spoiled() {
    request_.locks[0].path = "postgres://there/lock";
    request_.ttl = Duration::seconds(15);
    // The tables are there: what creates them is spoiled by a test of its own.
    (void)place(false)->set_drained(request_, 0, false);
  }

  std::unique_ptr<atmost::postgres::PostgresStore> place(bool behind_wire) {
    const std::string url =
        behind_wire ? "postgres://postgres@/postgres?host=" + directory_.path() : cluster_->url();
    Result<atmost::postgres::Address> address = atmost::postgres::parse_address(url);
    EXPECT_TRUE(address.ok());
    atmost::postgres::Settings settings;
    settings.timeout = behind_wire ? kTimeout : Duration::seconds(5);
    return std::make_unique<atmost::postgres::PostgresStore>(std::move(address.value()), settings);
  }
  // A store and its one session.
  struct Caller {
    std::unique_ptr<atmost::postgres::PostgresStore> store;
    atmost::Owned<atmost::Session> session;
    atmost::Session* operator->() { return &*session; }
    atmost::Session& operator*() { return *session; }
  };
  Caller caller(bool behind_wire) {
    Caller made{place(behind_wire), {}};
    Result<atmost::Owned<atmost::Session>> opened = made.store->open(request_);
    EXPECT_TRUE(opened.ok());
    made.session = std::move(opened.value());
    return made;
  }
  Result<Decision> ask(atmost::Session& from, Lease& lease, atmost::Ticket* queue = nullptr) {
    return atmost::rule::admit(
        from, request_,
        {atmost::policy::decide, [](const atmost::Request&) { return atmost::os::now(); }, queue},
        lease);
  }
  void free_all() {
    session_.ask("DELETE FROM atmost.holder");
    session_.ask("DELETE FROM atmost.waiter");
    session_.ask("DELETE FROM atmost.takeover");
  }

  static std::unique_ptr<Cluster> cluster_;
  Session session_{cluster_->url()};
  witness::TempDir directory_;
  Wire wire_{directory_.path(), cluster_->socket()};
  atmost::Request request_;
};

inline std::unique_ptr<Cluster> Spoiled::cluster_;

// Runs `act` and returns how long it took, in seconds.
template <class Act>
double seconds_of(Act act) {
  const std::int64_t start = atmost::os::boot_ns();
  act();
  return static_cast<double>(atmost::os::boot_ns() - start) / 1e9;
}

}  // namespace postgres_kit

#endif
