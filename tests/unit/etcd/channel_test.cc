#include "store/etcd/channel.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>

#include "os/clock.h"

namespace {
std::atomic<int> pipe_changes{0};
}

// libcurl's calls come here, too, as it is linked dynamically.
extern "C" int sigaction(int signal, const struct sigaction* to,
                         struct sigaction* before) noexcept {
  using Call = int (*)(int, const struct sigaction*, struct sigaction*);
  static const auto kNext = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "sigaction"));
  if (signal == SIGPIPE && to != nullptr) ++pipe_changes;
  return kNext(signal, to, before);
}

namespace atmost::etcd {
namespace {

TEST(Channel, LeavesSignalsOfTheProgramAlone) {
  // The recorder sees what it is for.
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &plain, nullptr);
  ASSERT_EQ(pipe_changes, 1);
  {
    const Access access{};
    const std::unique_ptr<Channel> channel = make_channel(access);
    ASSERT_NE(channel, nullptr);
    const Question question = {
        .endpoint = "http://127.0.0.1:1", .path = "/", .headers = {}, .body = ""};
    for (int i = 0; i < 2; ++i) {
      channel->hang_up();  // a handle that was never used
      channel->hang_up();
      const Exchange exchange = channel->exchange(question, os::boot_ns() + 1'000'000'000);
      EXPECT_EQ(exchange.status, 0);
    }
    EXPECT_NE(channel->flow(question), nullptr);
  }
  EXPECT_EQ(pipe_changes, 1);
}

}  // namespace
}  // namespace atmost::etcd
