// Whatever goes wrong between us and etcd: nobody is admitted who should not be, and no exit code says what is not so.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "atmost/limiter.h"
#include "etcd/fault_proxy.h"
#include "etcd/kit/cluster.h"
#include "os/clock.h"
#include "policy/decide.h"
#include "store/etcd/etcd_store.h"

namespace atmost::etcd {
namespace {

etcd_kit::Cluster& cluster() {
  static etcd_kit::Cluster made;
  return made;
}

// How many faults a test plants at least: the soak run asks for more.
std::uint64_t wanted_faults() {
  const char* text = getenv("ATMOST_FAULTS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 120;
}

Access access_to(const std::string& host, const std::string& prefix, Duration timeout) {
  Access access;
  access.endpoints = {"http://" + host};
  access.prefix = prefix;
  access.timeout = timeout;
  return access;
}

Request one_of(std::uint32_t max) {
  Request request;
  request.locks[0].max = max;
  request.locks[0].store = StoreKind::fleet;
  request.locks[0].name = Text<255>("lock");
  request.locks[0].path = PathText("etcd://test/lock.lock");
  return request;
}

std::uint64_t created(const std::string& key) {
  const std::string body = "{\"key\":\"" + base64(key) + "\"}";
  const std::string text = etcd_kit::fetch(cluster().host(0), "/v3/kv/range", body.c_str(), 5000);
  const std::size_t at = text.find("\"create_revision\":\"");
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + 19, nullptr, 10);
}

TEST(Fault, AHeldLockIsGrantedToNobody) {
  etcd_kit::FaultProxy proxy(cluster().host(1));
  EtcdStore holder(access_to(cluster().host(0), "/held", Duration::seconds(10)), false);
  const Request request = one_of(1);
  Lease held;
  Result<Decision> first = holder.attempt(request, policy::decide, os::now(), nullptr, held);
  ASSERT_TRUE(first.ok() && held.held());
  proxy.harm(60);
  EtcdStore other(access_to(proxy.host(), "/held", Duration::millis(150)), false);
  unsigned busy = 0, errors = 0;
  while (proxy.injected() < wanted_faults()) {
    Lease lease;
    Ticket ticket;
    const bool waits = (busy + errors) % 3 == 0;
    Result<Decision> answer =
        other.attempt(request, policy::decide, os::now(), waits ? &ticket : nullptr, lease);
    ASSERT_FALSE(lease.held()) << "granted after " << proxy.injected() << " faults";
    ASSERT_FALSE(other.upkeep(0).until_boot_ns == Duration::kForever);
    if (answer.ok()) {
      EXPECT_EQ(answer.value().verdict, Verdict::busy);
      ++busy;
    } else {
      EXPECT_EQ(answer.error().code, Code::unavailable) << answer.error().message.c_str();
      ++errors;
    }
    other.withdraw(request, ticket);
  }
  std::printf("%llu faults: busy %u, unavailable %u\n", static_cast<unsigned long long>(proxy.injected()),
              busy, errors);
  EXPECT_GT(busy, 0u);
  EXPECT_GT(errors, 0u);
}

TEST(Fault, WhoIsAdmittedIsAdmittedInEtcdToo) {
  etcd_kit::FaultProxy proxy(cluster().host(1));
  const Request request = one_of(1);
  unsigned admitted = 0, busy = 0, errors = 0;
  std::uint64_t last_token = 0;
  while (proxy.injected() < wanted_faults()) {
    proxy.harm(35);
    EtcdStore store(
        access_to(proxy.host(), "/free" + std::to_string(admitted + busy + errors), Duration::millis(300)),
        false);
    const std::string key = "/free" + std::to_string(admitted + busy + errors) + "/lock.lock/a/h/000001";
    Lease lease;
    Result<Decision> answer = store.attempt(request, policy::decide, os::now(), nullptr, lease);
    proxy.harm(0);
    if (lease.held()) {
      EXPECT_EQ(lease.lock(0).token, created(key));
      EXPECT_GT(lease.lock(0).token, last_token);
      last_token = lease.lock(0).token;
      ++admitted;
    } else if (answer.ok()) {
      ++busy;
    } else {
      EXPECT_EQ(answer.error().code, Code::unavailable) << answer.error().message.c_str();
      ++errors;
    }
  }
  EXPECT_GT(admitted, 0u);
  EXPECT_GT(errors, 0u);
  std::printf("%llu faults: admitted %u, busy %u, unavailable %u\n",
              static_cast<unsigned long long>(proxy.injected()), admitted, busy, errors);
}

// The exit code of atmost run, and whether its command ran.
int run(const std::string& host, const char* prefix, const std::string& options, const std::string& command) {
  const std::string line = "ATMOST_ETCD_TIMEOUT=400ms " + std::string(getenv("ATMOST_BIN")) +
                           "/atmost run -q --no-history --store etcd://" + host + prefix + " " + options +
                           " lock sh -c '" + command + "' 2>/dev/null";
  const int status = system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Fault, ExitCodesTellTheTruth) {
  etcd_kit::FaultProxy proxy(cluster().host(2));
  proxy.harm(30);
  char directory[] = "/tmp/atmost-fault-XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string mark = std::string(directory) + "/ran";
  for (unsigned i = 0; i < wanted_faults() / 12; ++i) {
    const int code = run(proxy.host(), "/codes", "-w 2s", "touch " + mark + "; exit 3");
    const bool ran = unlink(mark.c_str()) == 0;
    // 75: the slot of an earlier run, whose end was not heard, stays until its lease ends.
    EXPECT_TRUE(ran ? code == 3 : code == 69 || code == 75) << "exit code " << code << ", ran " << ran;
  }
  rmdir(directory);
}

TEST(Fault, RenewalsThatFailNowAndThenLoseNothing) {
  etcd_kit::FaultProxy proxy(cluster().host(2));
  EXPECT_EQ(run(proxy.host(), "/renew", "--ttl 7s", "exit 4"), 4);
  proxy.harm(50);
  std::thread calm_at_first([&] { proxy.harm(0); });
  calm_at_first.join();
  std::thread later([&] {
    os::sleep_until(os::boot_ns() + 300'000'000);
    proxy.harm(50);
  });
  EXPECT_EQ(run(proxy.host(), "/renew", "--ttl 7s", "sleep 6; exit 5"), 5);
  later.join();
}

}  // namespace
}  // namespace atmost::etcd
