// Children that a program forks, and its locks in a fleet.

#include <sys/socket.h>
#include <sys/syscall.h>

#include "fleet_kit.h"

namespace {

class FleetForks : public FleetLibrary {
 protected:
  // Forks a child. The number of the helpers' sockets that it has.
  static int sockets_of_a_child() {
    const pid_t child = fork();
    if (child == 0) {
      int sockets = 0;
      constexpr int kMost = 1024;
      for (int fd = 0; fd < kMost; ++fd) {
        int type = 0;
        socklen_t size = sizeof type;
        const bool is_one = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
        sockets += is_one && type == SOCK_SEQPACKET ? 1 : 0;
      }
      _exit(sockets);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
  }
};

std::atomic<bool> pauses{false};  // the next one that receives a descriptor
std::atomic<bool> paused{false};
std::atomic<bool> forked{false};

}  // namespace

// In place of the C library's, for libatmost, too.
extern "C" ssize_t recvmsg(int fd, struct msghdr* message, int flags) {
  const ssize_t size = syscall(SYS_recvmsg, fd, message, flags);
  const bool passes = size > 0 && message->msg_controllen > 0;
  if (!passes || !pauses.exchange(false)) return size;
  paused = true;
  // A fork has to wait until the descriptor is known, which is after this.
  const auto end = std::chrono::steady_clock::now() + 200ms;
  while (!forked && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  return size;
}

namespace {

// Such a child would keep the lock, and could not release it.
TEST_F(FleetForks, AChildOfTheMomentOfAdmissionHasNoPartInIt) {
  pauses = true;
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(name_.c_str(), limits_, &request), ATMOST_ADMITTED);
  EXPECT_TRUE(eventually([] { return paused.load(); }));
  EXPECT_EQ(sockets_of_a_child(), 0);
  forked = true;
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
}

TEST_F(FleetForks, AChildFromBeforeTheAnswerIsFetchedHasNoPartInIt) {
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(name_.c_str(), limits_, &request), ATMOST_ADMITTED);
  EXPECT_TRUE(eventually([&] { return atmost_answered(request) != 0; }));
  EXPECT_EQ(sockets_of_a_child(), 0);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  EXPECT_EQ(sockets_of_a_child(), 1);
  atmost_release(lock, 1);
  EXPECT_EQ(sockets_of_a_child(), 0);
}

// As the lock of a file: those who have the open descriptors have the lock.
TEST_F(FleetForks, AForkedChildSharesTheLock) {
  static pid_t child;
  int number[2];
  ASSERT_EQ(pipe(number), 0);
  static int write_to;
  write_to = number[1];
  const pid_t holder = start_holder([](atmost_lock* lock) {
    child = fork();
    if (child != 0) {
      (void)!write(write_to, &child, sizeof child);
      return;
    }
    if (atmost_held(lock) == 0) _exit(1);
    for (;;) pause();
  });
  ASSERT_EQ(read(number[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  kill_and_wait(holder);
  EXPECT_EQ(get().answer(), ATMOST_BUSY);
  kill(child, SIGKILL);
  EXPECT_TRUE(get_soon());
  close(number[0]);
  close(number[1]);
}

TEST_F(FleetForks, AReleaseFreesTheSlotInSpiteOfAForkedChild) {
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  held.release(true);
  EXPECT_TRUE(get());
  kill_and_wait(child);
}

}  // namespace
