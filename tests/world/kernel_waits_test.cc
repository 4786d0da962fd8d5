#include <linux/futex.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>

#include "world/kernel_kit.h"

namespace world {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A word of the file /w/words, in a mapping of it.
void* map_words() {
  const int fd = open_file("/w/words");
  return calls().mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
}

std::uint32_t first_word() {
  const int fd = open_file("/w/words");
  std::uint32_t word = 0;
  calls().pread(fd, &word, sizeof word, 0);
  calls().close(fd);
  return word;
}

void write_word(std::uint32_t word) {
  const int fd = open_file("/w/words");
  calls().pwrite(fd, &word, sizeof word, 0);
  calls().close(fd);
}

TEST(Words, ARingWakesAllWhoSleepOnTheWord) {
  const auto sleeper = [](Process&) {
    void* const word = map_words();
    EXPECT_EQ(calls().wait_word(word, 1, nullptr), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(calls().wait_word(word, 0, nullptr), 0);
  };
  run_processes({sleeper, sleeper, [](Process&) {
                   void* const word = map_words();
                   EXPECT_EQ(calls().wake_word(static_cast<char*>(word) + 4, true), 0);
                   EXPECT_EQ(calls().wake_word(word, false), 2);
                   EXPECT_EQ(calls().wake_word(word, true), 2);
                   EXPECT_EQ(calls().wake_word(word, true), 0);
                 }});
}

TEST(Words, ASleepHasAnEnd) {
  run_processes({[](Process&) {
    const struct timespec span = {0, 3 * kMs};
    const std::int64_t before = kernel->now_ns();
    EXPECT_EQ(calls().wait_word(map_words(), 0, &span), -1);
    EXPECT_EQ(errno, ETIMEDOUT);
    EXPECT_GE(kernel->now_ns() - before, 3 * kMs);
    EXPECT_LT(kernel->now_ns() - before, 4 * kMs);
  }});
}

TEST(Words, AStoppedProcessDoesNotSleepOnAWord) {
  run_processes({[](Process&) {
                   void* const word = map_words();                     // calls 1 and 2
                   EXPECT_EQ(calls().wait_word(word, 0, nullptr), 0);  // 3; 4: it sleeps
                   EXPECT_GE(kernel->now_ns() - kBegin, 5 * kMs);
                 },
                 [](Process&) {
                   void* const word = map_words();
                   EXPECT_EQ(calls().wake_word(word, true), 0);
                   write_word(1);
                 }},
                {{Event::Kind::stop, 0, 4, 5 * kMs}});
}

// Links one word, as the C library does for mutexes.
struct Robust {
  struct robust_list_head head;
  struct robust_list entry;

  void add(void* word) {
    head.list.next = &entry;
    entry.next = &head.list;
    head.futex_offset = static_cast<char*>(word) - reinterpret_cast<char*>(&entry);
    head.list_op_pending = nullptr;
    calls().set_robust_list(&head, sizeof head);
  }
};

TEST(Words, ADeathIsWrittenIntoTheWordsOfTheDead) {
  run_processes({[](Process& self) {
                   Robust robust;
                   robust.add(map_words());
                   write_word(static_cast<std::uint32_t>(self.pid));
                   calls().kill(self.pid, SIGKILL);
                   sleep_ms(1);
                   ADD_FAILURE() << "it lives";
                 },
                 [](Process&) {
                   sleep_ms(1);
                   EXPECT_EQ(first_word(), static_cast<std::uint32_t>(FUTEX_OWNER_DIED));
                 }});
}

TEST(Words, AWordOfAnotherProcessStays) {
  run_processes({[](Process&) {
                   static Robust robust;  // its death comes behind the return
                   robust.add(map_words());
                   write_word(12345);
                 },
                 [](Process&) {
                   sleep_ms(1);
                   EXPECT_EQ(first_word(), 12345u);
                 }});
}

TEST(Death, IsNotDelayedByASleep) {
  run_processes({[](Process&) {
                   EXPECT_EQ(set_lock(open_file("/w/a"), F_OFD_SETLK, F_WRLCK, 0), 0);
                   sleep_ms(1000);
                   ADD_FAILURE() << "it lives";
                 },
                 [](Process&) {
                   sleep_ms(1);
                   calls().kill(kernel->processes()[0]->pid, SIGKILL);
                   EXPECT_EQ(set_lock(open_file("/w/a"), F_OFD_SETLKW, F_WRLCK, 0), 0);
                   EXPECT_LT(kernel->now_ns() - kBegin, 2 * kMs);
                 }});
}

TEST(Poll, WaitsForTimeOrEvents) {
  run_processes({[](Process&) {
                   const int fd = open_file("/w/a");
                   const int notify = calls().inotify_init(IN_NONBLOCK);
                   calls().inotify_add_watch(notify, "/w/a", IN_MODIFY);
                   struct pollfd wanted[] = {{notify, POLLIN, 0}, {-1, POLLIN, 7}, {99, POLLIN, 0}};
                   EXPECT_EQ(calls().poll(wanted, 2, 0), 0);
                   EXPECT_EQ(calls().poll(wanted, 2, 2), 0);
                   EXPECT_EQ(calls().poll(wanted, 2, -1), 1);
                   EXPECT_EQ(wanted[0].revents, POLLIN);
                   EXPECT_EQ(wanted[1].revents, 0);
                   EXPECT_EQ(calls().poll(wanted, 3, -1), 2);
                   EXPECT_EQ(wanted[2].revents, POLLNVAL);
                   calls().close(fd);
                 },
                 [](Process&) {
                   const int fd = open_file("/w/a");
                   sleep_ms(10);
                   calls().pwrite(fd, "x", 1, 0);
                 }});
}

int alarms = 0;

void alarm_after_ms(int first, int again) {
  struct sigaction action = {};
  action.sa_handler = [](int) { ++alarms; };
  calls().sigaction(SIGALRM, &action, nullptr);
  const struct itimerval timer = {{0, again * 1000}, {0, first * 1000}};
  calls().setitimer(ITIMER_REAL, &timer, nullptr);
}

TEST(Signals, AnAlarmEndsTheWaitForALock) {
  alarms = 0;
  run_processes({[](Process&) {
                   const int fd = open_file("/w/a");
                   set_lock(fd, F_OFD_SETLK, F_WRLCK, 0);
                   sleep_ms(100);
                 },
                 [](Process&) {
                   const int fd = open_file("/w/a");
                   alarm_after_ms(5, 0);
                   EXPECT_EQ(set_lock(fd, F_OFD_SETLKW, F_WRLCK, 0), -1);
                   EXPECT_EQ(errno, EINTR);
                   EXPECT_EQ(alarms, 1);
                   EXPECT_EQ(set_lock(fd, F_OFD_SETLKW, F_WRLCK, 0), 0);
                   EXPECT_GE(kernel->now_ns() - kBegin, 100 * kMs);
                 }});
}

TEST(Signals, ABlockedOneWaitsForItsMask) {
  alarms = 0;
  run_processes({[](Process&) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    calls().sigprocmask(SIG_BLOCK, &set, nullptr);
    alarm_after_ms(1, 0);
    sleep_ms(5);
    EXPECT_EQ(alarms, 0);
    sigset_t pending;
    calls().sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGALRM), 1);
    calls().sigprocmask(SIG_UNBLOCK, &set, nullptr);
    EXPECT_EQ(alarms, 1);
  }});
}

TEST(Signals, AreTakenByAWaitForThem) {
  run_processes({[](Process&) {
                   sigset_t set;
                   sigemptyset(&set);
                   sigaddset(&set, SIGUSR1);
                   calls().sigprocmask(SIG_BLOCK, &set, nullptr);
                   siginfo_t about = {};
                   const struct timespec span = {0, kMs};
                   EXPECT_EQ(calls().sigtimedwait(&set, &about, &span), -1);
                   EXPECT_EQ(errno, EAGAIN);
                   EXPECT_EQ(calls().sigtimedwait(&set, &about, nullptr), SIGUSR1);
                   EXPECT_EQ(about.si_pid, 101);
                   EXPECT_EQ(about.si_value.sival_int, 42);
                 },
                 [](Process& self) {
                   EXPECT_EQ(self.pid, 101);
                   sleep_ms(5);
                   EXPECT_EQ(calls().sigqueue(100, SIGUSR1, {.sival_int = 42}), 0);
                   EXPECT_EQ(calls().kill(77, 0), -1);
                   EXPECT_EQ(errno, ESRCH);
                 }});
}

}  // namespace
}  // namespace world
