// The fate of a lock with on_lost where no thread can be started.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "library_kit.h"

namespace {

constexpr int kNoFilters = 77;

// From now on this process starts no thread.
bool refuse_threads() {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class NoThread : public Library {
 protected:
  // True if `answer` and the thread's message report that the lock's thread cannot be started, and
  // nothing is held.
  bool refused(int answer) const {
    return answer == ATMOST_INTERNAL && lock_ == nullptr && !held(path("a")) &&
           std::strcmp(atmost_message(), "cannot start the thread that calls on_lost") == 0;
  }
  int get() { return get_by(path("a").c_str(), limits_, &lock_); }

  // In a process that starts no thread: the number of the first expectation that fails.
  int expectations() {
    if (!refuse_threads()) return kNoFilters;
    if (get() != ATMOST_ADMITTED) return 1;
    atmost_release(lock_, 1);
    limits_.on_lost([](void*, std::uint64_t) {}, nullptr);
    if (!refused(get())) return 2;
    atmost_pending* request = nullptr;
    limits_.set("wait", 60);
    if (begin_by(path("a").c_str(), limits_, &request) != ATMOST_ADMITTED) return 3;
    if (atmost_answered(request) != 1) return 4;
    if (!refused(atmost_finish(request, &lock_))) return 5;
    atmost_release_current_lock();
    limits_.on_lost(nullptr, nullptr);
    if (get() != ATMOST_ADMITTED) return 6;
    return held(path("a")) ? 0 : 7;
  }

  atmost_lock* lock_ = nullptr;
};

TEST_F(NoThread, IsGivenNoLockThatCouldBeLostInSilence) {
  const pid_t child = fork();
  if (child == 0) _exit(expectations());
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoFilters) GTEST_SKIP() << "no filters of system calls here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
