// A command that is idle or works in one of many ways: idle_child HOW [MS]. The idle ones stay for
// half a minute, the others for MS milliseconds; then it exits with 0, or with 77 where the machine
// does not have what it needs.
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace {

std::int64_t now_ms() {
  struct timespec at = {};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<std::int64_t>(at.tv_sec) * 1000 + at.tv_nsec / 1'000'000;
}

std::int64_t end_ms = 0;
bool time_left() { return now_ms() < end_ms; }
void pause_ms(long ms) {
  const struct timespec span = {ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&span, nullptr);
}
void rest() {
  while (time_left()) pause_ms(200);
}
void spin() {
  while (time_left()) {
  }
}

// Idle.

void socket_read() {
  int ends[2];
  char c;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && read(ends[0], &c, 1) < 0) _exit(1);
}

pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_barrier_t both;
void* lock_in_order(void* first) {
  const int one = *static_cast<int*>(first);
  pthread_mutex_lock(&mutexes[one]);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&mutexes[1 - one]);
  return nullptr;
}
void deadlock() {
  int order[2] = {0, 1};
  pthread_t other;
  pthread_barrier_init(&both, nullptr, 2);
  pthread_create(&other, nullptr, lock_in_order, &order[1]);
  lock_in_order(&order[0]);
}

void stop() { raise(SIGSTOP); }

void wait_for_lock() {
  const int one = memfd_create("lock", 0);
  const int other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const int again = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (one < 0 || flock(other, LOCK_EX) != 0) _exit(1);
  flock(again, LOCK_EX);
}

void event_loop() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const struct itimerspec each = {{0, 100'000'000}, {0, 100'000'000}};
  timerfd_settime(timer, 0, &each, nullptr);
  std::uint64_t count;
  while (read(timer, &count, sizeof count) == sizeof count && time_left()) {
  }
}

void terminal_read() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) _exit(77);
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  char c;
  if (terminal < 0 || read(terminal, &c, 1) < 0) _exit(1);
}

void futex_wait() {
  static int word = 0;
  syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

// Active.

void* rest_in_thread(void*) {
  rest();
  return nullptr;
}
void one_of_20() {
  pthread_t threads[19];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, rest_in_thread, nullptr);
  spin();
}

// 10 KB a second.
void copy() {
  int ends[2];
  char kilobyte[1000] = {};
  if (pipe(ends) != 0) _exit(1);
  while (time_left()) {
    if (write(ends[1], kilobyte, sizeof kilobyte) < 0 || read(ends[0], kilobyte, 1000) < 0)
      _exit(1);
    pause_ms(100);
  }
}

void dots() {
  const int to = open("/dev/null", O_WRONLY | O_CLOEXEC);
  while (time_left()) {
    if (write(to, ".", 1) != 1) _exit(1);
    pause_ms(100);
  }
}

void children() {
  while (time_left()) {
    const pid_t child = fork();
    if (child == 0) {
      const std::int64_t end = now_ms() + 15;
      while (now_ms() < end) {
      }
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    pause_ms(30);
  }
}

// The parent of a vfork(2) sleeps uninterruptibly until the child has ended.
void uninterruptible() {
  const pid_t child = vfork();
  if (child == 0) {
    rest();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

void mapped() {
  constexpr std::size_t kSize = std::size_t{1} << 20;
  void* const at = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) _exit(1);
  auto* const bytes = static_cast<volatile std::uint64_t*>(at);
  while (time_left()) {
    for (std::size_t i = 0; i < kSize / sizeof *bytes; ++i) bytes[i] = bytes[i] + i;
    pause_ms(10);
  }
}

template <class T>
T* ring_at(void* base, unsigned offset) {
  return reinterpret_cast<T*>(static_cast<char*>(base) + offset);
}

void uring() {
  struct io_uring_params set = {};
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &set));
  if (ring < 0) _exit(77);
  const std::size_t size = set.cq_off.cqes + set.cq_entries * sizeof(struct io_uring_cqe);
  const std::size_t other = set.sq_off.array + set.sq_entries * sizeof(unsigned);
  constexpr int kReadWrite = PROT_READ | PROT_WRITE;
  void* const queue =
      mmap(nullptr, size > other ? size : other, kReadWrite, MAP_SHARED, ring, IORING_OFF_SQ_RING);
  void* const entries = mmap(nullptr, set.sq_entries * sizeof(struct io_uring_sqe), kReadWrite,
                             MAP_SHARED, ring, IORING_OFF_SQES);
  if (queue == MAP_FAILED || entries == MAP_FAILED) _exit(77);
  static char block[4096];
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  auto* const entry = static_cast<struct io_uring_sqe*>(entries);
  while (time_left()) {
    *entry = {};
    entry->opcode = IORING_OP_READ;
    entry->fd = file;
    entry->addr = reinterpret_cast<std::uint64_t>(block);
    entry->len = sizeof block;
    unsigned* const tail = ring_at<unsigned>(queue, set.sq_off.tail);
    ring_at<unsigned>(queue, set.sq_off.array)[*tail & (set.sq_entries - 1)] = 0;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) < 0) _exit(77);
    unsigned* const head = ring_at<unsigned>(queue, set.cq_off.head);
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    pause_ms(100);
  }
}

void other_session() {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) spin();
    _exit(0);
  }
  wait(nullptr);
  rest();
}

void unreadable() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  rest();
}

struct How {
  const char* name;
  void (*run)();
};
constexpr How kIdle[] = {{"sleep", rest},
                         {"socket", socket_read},
                         {"deadlock", deadlock},
                         {"stop", stop},
                         {"lock", wait_for_lock},
                         {"event_loop", event_loop},
                         {"terminal", terminal_read},
                         {"futex", futex_wait}};
constexpr How kActive[] = {{"spin", spin},
                           {"one_of_20", one_of_20},
                           {"copy", copy},
                           {"dots", dots},
                           {"children", children},
                           {"uninterruptible", uninterruptible},
                           {"mapped", mapped},
                           {"uring", uring},
                           {"session", other_session},
                           {"unreadable", unreadable}};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  end_ms = now_ms() + (argc > 2 ? strtol(argv[2], nullptr, 10) : 30'000);
  for (const How& how : kIdle) {
    if (strcmp(how.name, argv[1]) == 0) return how.run(), 0;
  }
  for (const How& how : kActive) {
    if (strcmp(how.name, argv[1]) == 0) return how.run(), 0;
  }
  return 64;
}
