// A lease in a directory that machines share, when the server fails. Its calls are replaced: the
// server of a test answers with an error, or not at all.
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>

#include "kept_text.h"
#include "os/calls.h"
#include "os/clock.h"
#include "policy/decide.h"
#include "rule/judge.h"
#include "store/shared/directory.h"
#include "store/shared/store.h"

namespace atmost::shared {
namespace {

enum class Server { answers, fails, hangs };
std::atomic<Server> server = Server::answers;
std::atomic<int> heartbeats = 0;
int (*real_sync)(int) = nullptr;

int sync_there(int fd) {
  while (server == Server::hangs) poll(nullptr, 0, 5);
  if (server == Server::fails) {
    errno = EIO;
    return -1;
  }
  ++heartbeats;
  return real_sync(fd);
}

Instant by_clock(const Request&) { return os::now(); }

class SharedLease : public ::testing::Test {
 protected:
  SharedLease() {
    EXPECT_NE(mkdtemp(directory_), nullptr);
    setenv(kAnyFilesystem, "1", 1);
    server = Server::answers;
    heartbeats = 0;
    if (real_sync == nullptr) real_sync = os::calls.fdatasync;
    os::calls.fdatasync = sync_there;
    request_.ttl = Duration::seconds(3);
    request_.kill_grace = {};
    request_.locks[0].name = "a";
    request_.locks[0].path = kept(std::string("shared:") + directory_ + "/a.lock");
  }
  ~SharedLease() override {
    server = Server::answers;
    std::filesystem::remove_all(directory_);
  }

  // A session of its own, as in another process.
  struct Caller {
    explicit Caller(SharedLease& from) : request(from.request_), store(from.directory_) {
      Result<Owned<Session>> opened = store.open(request);
      EXPECT_TRUE(opened.ok());
      session = std::move(opened.value());
    }
    Verdict ask() {
      Result<Decision> answer = rule::admit(*session, request, {policy::decide, by_clock}, lease);
      if (!answer.ok()) ADD_FAILURE() << answer.error().message.c_str();
      return answer.ok() ? answer.value().verdict : Verdict::busy;
    }
    Request request;
    SharedStore store;
    Owned<Session> session;
    Lease lease;
  };

  static bool becomes_lost(const Lease& lease, Duration within) {
    const std::int64_t end = plus(os::boot_ns(), within);
    while (!lease.upkeep().lost && os::boot_ns() < end) poll(nullptr, 0, 5);
    return lease.upkeep().lost;
  }

  char directory_[64] = "/tmp/atmost-lease-XXXXXX";
  Request request_;
};

TEST_F(SharedLease, LastsAsLongAsTheServerTakesHeartbeats) {
  Caller holder(*this);
  ASSERT_EQ(holder.ask(), Verdict::admit);
  const std::int64_t first = holder.lease.upkeep().until_boot_ns;
  const std::int64_t end = plus(os::boot_ns(), Duration::seconds(60));
  while (heartbeats < 5 && os::boot_ns() < end) poll(nullptr, 0, 10);
  EXPECT_GE(heartbeats, 5);
  EXPECT_GT(holder.lease.upkeep().until_boot_ns, first);
  EXPECT_FALSE(holder.lease.upkeep().lost);
  Caller other(*this);
  EXPECT_EQ(other.ask(), Verdict::busy);
  holder.lease.release(Ending::success, os::now());
  EXPECT_EQ(other.ask(), Verdict::admit);
}

TEST_F(SharedLease, IsLostWhenTheServerHasFreedTheLock) {
  Caller holder(*this);
  ASSERT_EQ(holder.ask(), Verdict::admit);
  const std::int64_t until = holder.lease.upkeep().until_boot_ns;
  server = Server::fails;
  EXPECT_TRUE(becomes_lost(holder.lease, Duration::seconds(30)));
  EXPECT_LE(holder.lease.upkeep().until_boot_ns, plus(until, request_.ttl));
  holder.lease.release(Ending::failure, os::now());
  server = Server::answers;
  Caller other(*this);
  EXPECT_EQ(other.ask(), Verdict::admit);
}

TEST_F(SharedLease, EndsWithoutTheServer) {
  Caller holder(*this);
  ASSERT_EQ(holder.ask(), Verdict::admit);
  server = Server::hangs;
  const std::int64_t hung = os::boot_ns();
  ASSERT_TRUE(becomes_lost(holder.lease, Duration::seconds(30)));
  // A heartbeat that was sent just before counts.
  EXPECT_LE(holder.lease.upkeep().until_boot_ns, plus(hung, request_.ttl));
  holder.lease.release(Ending::failure, os::now());  // gives up waiting for the server
  EXPECT_FALSE(holder.lease.held());
}

TEST_F(SharedLease, IsNotGivenWhenItCannotBeProven) {
  server = Server::fails;
  Caller caller(*this);
  const Result<Decision> answer =
      rule::admit(*caller.session, caller.request, {policy::decide, by_clock}, caller.lease);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, Code::io);
  EXPECT_FALSE(caller.lease.held());
  server = Server::answers;
  EXPECT_EQ(caller.ask(), Verdict::admit);
}

}  // namespace
}  // namespace atmost::shared
