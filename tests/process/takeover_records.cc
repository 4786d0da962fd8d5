#include "takeover_records.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <sstream>

#include "os/calls.h"
#include "os/self.h"
#include "unit/store/lock_kit.h"

namespace witness {
namespace {

using atmost::HolderKind;
using atmost::Pressure;
using atmost::Verdict;
using atmost::local::Record;
using atmost::local::User;
using atmost::local::Word;

constexpr Pressure kPressures[] = {Pressure::prove, Pressure::interrupt, Pressure::terminate, Pressure::kill};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A child that does `first` and then stays until it is killed; it ends with its parent.
pid_t stay(const std::function<void()>& first) {
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    first();
    close(ready[0]);
    close(ready[1]);
    for (;;) pause();
  }
  close(ready[1]);
  char byte;
  while (read(ready[0], &byte, 1) < 0 && errno == EINTR) {
  }
  close(ready[0]);
  return pid;
}

bool lock_slot(int fd, int command, short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = atmost::local::slot_byte(1);
  range.l_len = 1;
  return fcntl(fd, command, &range) == 0;
}

void take_slot(const std::string& path, int command) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || !lock_slot(fd, command, F_WRLCK)) _exit(1);
}

// Runs `body` as a grandchild of the first process of a new pid namespace with a /proc of its own; its parent there
// did `before`. What it returns.
std::string in_namespace(const std::function<void()>& before, const std::function<std::string()>& body) {
  int result[2];
  if (pipe2(result, O_CLOEXEC) != 0) return "no pipe";
  const auto say = [&](const std::string& text) {
    (void)!write(result[1], text.data(), text.size());
    _exit(0);
  };
  const pid_t outer = fork();
  if (outer == 0) {
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) say(kNoNamespace);
    const pid_t first = fork();
    if (first == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const bool own = mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount("proc", "/proc", "proc", 0, nullptr) == 0;
      if (!own) say(kNoNamespace);
      const pid_t second = fork();
      if (second == 0) {
        before();
        const pid_t third = fork();
        if (third == 0) say(body());
        waitpid(third, nullptr, 0);
        _exit(0);
      }
      waitpid(second, nullptr, 0);
      _exit(0);
    }
    waitpid(first, nullptr, 0);
    _exit(0);
  }
  close(result[1]);
  std::string all;
  char buffer[512];
  for (ssize_t got; (got = read(result[0], buffer, sizeof buffer)) > 0;) {
    all.append(buffer, static_cast<std::size_t>(got));
  }
  close(result[0]);
  waitpid(outer, nullptr, 0);
  return all == "well" ? std::string{} : all.empty() ? "it died" : all;
}

std::set<pid_t> reached;  // by signals that were recorded instead of sent

int record_handle(int pidfd, int signal, unsigned) {
  if (signal == 0) return 0;
  const std::string info = text_of("/proc/self/fdinfo/" + std::to_string(pidfd));
  reached.insert(std::stoi(info.substr(info.find("\nPid:") + 5)));
  return 0;
}

int record_kill(pid_t pid, int signal) {
  if (signal == 0) return ::kill(pid, 0);
  reached.insert(pid);
  return 0;
}

struct Target {
  std::string path;
  std::set<pid_t> holders;  // and what is below them
};

class Fuzz {
 public:
  Fuzz(const atmost::local::Directory& directory, unsigned seed) : random_(seed) {
    const pid_t bystander = stay([] {});
    const pid_t other_user = stay([] { (void)!setuid(65534); });
    for (const char* name : {"description", "process"}) {
      const std::string path = directory.path(name);
      const int command = name[0] == 'd' ? F_OFD_SETLK : F_SETLK;
      int below[2];
      (void)!pipe2(below, O_CLOEXEC);
      const pid_t holder = stay([&] {
        take_slot(path, command);
        const pid_t child = stay([] { close_all(); });
        (void)!write(below[1], &child, sizeof child);
      });
      pid_t child = 0;
      (void)!read(below[0], &child, sizeof child);
      close(below[0]);
      close(below[1]);
      targets_.push_back({path, {holder, child}});
      numbers_.push_back(holder);
      numbers_.push_back(child);
    }
    targets_.push_back({directory.path("free"), {}});
    targets_.push_back({directory.path("ancestor"), {}});
    for (pid_t pid : {0, -1, 1, getpid(), getppid(), bystander, other_user, INT32_MAX, 4194304})
      numbers_.push_back(pid);
  }

  std::string run(unsigned count) {
    atmost::os::calls.pidfd_send_signal = record_handle;
    atmost::os::calls.kill = record_kill;
    unsigned proper = 0;
    for (unsigned trial = 0; trial < count; ++trial) {
      Target& target = targets_[trial % targets_.size()];
      reached.clear();
      lie(target.path);
      press(target.path);
      for (const pid_t pid : reached) {
        if (target.holders.count(pid) == 0) {
          return "trial " + std::to_string(trial) + " on " + target.path + ": signal to " +
                 std::to_string(pid);
        }
      }
      proper += reached.empty() ? 0U : 1U;
    }
    return proper > count / 8 ? "well" : "only " + std::to_string(proper) + " trials reached a holder";
  }

 private:
  static void close_all() {
    for (int fd = 3; fd < 256; ++fd) close(fd);
  }
  std::uint64_t any() { return random_(); }
  std::int64_t some_time() {
    const std::int64_t kTimes[] = {
        0, 1, -1, INT64_MAX, INT64_MIN, 1'700'000'000'000'000'000, 100'000'000'000'000'000};
    return any() % 3 == 0 ? static_cast<std::int64_t>(any()) : kTimes[any() % 7];
  }
  std::uint32_t some_process() {
    return any() % 8 == 0 ? static_cast<std::uint32_t>(any())
                          : static_cast<std::uint32_t>(numbers_[any() % numbers_.size()]);
  }

  void lie(const std::string& path) {
    const atmost::local::Outsider file(path);
    Record record = {};
    if (any() % 16 == 0) {
      for (std::size_t i = 0; i < sizeof record; ++i)
        reinterpret_cast<unsigned char*>(&record)[i] = static_cast<unsigned char>(any());
    }
    record.token = any() % 4 == 0 ? 0 : any() % 1000;
    record.start_real_ns = some_time();
    record.start_boot_ns = some_time();
    record.boot = any() % 2 == 0 ? any() : boot_;
    record.expire_after_ns = some_time();
    record.slot = any() % 16 == 0 ? static_cast<std::uint32_t>(any()) : 1;
    record.pid = some_process();
    record.uid = any() % 2 == 0 ? 0 : static_cast<std::uint32_t>(any());
    record.kind = static_cast<std::uint8_t>(any() % 8 == 0 ? any() : any() % 5);
    record.eviction = static_cast<std::uint8_t>(any() % 8 == 0 ? any() % 4 : 0);
    record.id_size = static_cast<std::uint8_t>(any());
    record.command_size = static_cast<std::uint8_t>(any());
    record.checksum =
        any() % 16 == 0 ? any() : atmost::local::checksum_of(&record, sizeof record - sizeof record.checksum);
    file.put(record, atmost::local::record_at(1));
    const Word word = {any() % 2 == 0 ? 0 : some_process(),
                       any() % 8 == 0 ? static_cast<std::uint32_t>(any()) : 0};
    file.put(word, atmost::local::word_at(1));
    token_ = record.token;
  }

  void press(const std::string& path) {
    User taker(path);
    taker.request.expire_after = {};
    const atmost::Result<atmost::Decision> asked = taker.attempt();
    if (!asked.ok() || asked.value().verdict == Verdict::admit) {
      taker.release();
      return;
    }
    const std::uint64_t kHolds[] = {asked.value().holds[0], asked.value().holds[0], token_, 0, any()};
    const std::uint64_t hold = kHolds[any() % 5];
    for (const Pressure pressure : kPressures) (void)taker.store().press(0, 1, hold, pressure);
  }

  std::mt19937_64 random_;
  std::vector<Target> targets_;
  std::vector<pid_t> numbers_;
  std::uint64_t token_ = 0;
  const std::uint64_t boot_ = atmost::os::boot_hash();
};

// A process whose descriptors are shared by those who take its locks: the kernel reports the taker's number, which is
// free again when the taker has ended, while the lock lives on.
class SharedTable {
 public:
  explicit SharedTable(const std::string& path) {
    (void)!pipe2(orders_, O_CLOEXEC);
    (void)!pipe2(answers_, O_CLOEXEC);
    const pid_t holder = fork();
    if (holder == 0) serve(path);
  }
  // The number of a process that took the lock and has ended.
  pid_t lock_again() {
    pid_t taker = 0;
    (void)!write(orders_[1], "x", 1);
    (void)!read(answers_[0], &taker, sizeof taker);
    return taker;
  }

 private:
  // The holder. Signals to it stay pending.
  [[noreturn]] void serve(const std::string& path) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (char order; read(orders_[0], &order, 1) == 1;) {
      lock_slot(fd, F_SETLK, F_UNLCK);
      const pid_t taker = clone_files(fd);
      waitpid(taker, nullptr, 0);
      (void)!write(answers_[1], &taker, sizeof taker);
    }
    _exit(0);
  }
  static int lock_and_end(void* fd) {
    lock_slot(*static_cast<int*>(fd), F_SETLK, F_WRLCK);
    _exit(0);
  }
  static pid_t clone_files(int fd) {
    alignas(16) static char stack[65536];
    return clone(lock_and_end, stack + sizeof stack, CLONE_FILES | SIGCHLD, &fd);
  }

  int orders_[2] = {};
  int answers_[2] = {};
};

bool has_pending(pid_t pid) {
  const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
  for (const char* name : {"\nSigPnd:\t", "\nShdPnd:\t"}) {
    const auto at = status.find(name);
    if (at == std::string::npos || status.substr(at + 9, 16) != "0000000000000000") return true;
  }
  return false;
}

// A child that gets this very number; 0 when it did not.
pid_t bystander_with(pid_t number) {
  const int last = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  const std::string before = std::to_string(number - 1);
  const bool set = write(last, before.data(), before.size()) > 0;
  close(last);
  if (!set) return 0;
  const pid_t pid = stay([] {});
  if (pid == number) return pid;
  ::kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return 0;
}

std::string recycle(unsigned count, const std::string& path) {
  SharedTable table(path);
  unsigned pressed = 0;
  unsigned recycled = 0;
  for (unsigned round = 0; round < count; ++round) {
    const pid_t number = table.lock_again();
    const pid_t bystander = bystander_with(number);
    if (bystander == 0) continue;
    ++recycled;
    if (round % 2 == 0) {
      Record record = {};
      record.token = round + 1;
      record.slot = 1;
      record.pid = static_cast<std::uint32_t>(number);
      record.kind = static_cast<std::uint8_t>(round % 10 / 2);
      record.start_real_ns = 1;
      record.checksum = atmost::local::checksum_of(&record, sizeof record - sizeof record.checksum);
      atmost::local::Outsider(path).put(record, atmost::local::record_at(1));
    }
    User taker(path);
    taker.request.expire_after = {};
    const atmost::Result<atmost::Decision> asked = taker.attempt();
    if (!asked.ok() || asked.value().verdict == Verdict::admit) return "the slot is not held";
    const std::uint64_t hold = asked.value().holds[0];
    for (const Pressure pressure : {Pressure::interrupt, Pressure::terminate}) {
      const atmost::Result<atmost::Pressed> found = taker.store().press(0, 1, hold, pressure);
      if (found.ok() && found.value().signalled > 0) ++pressed;
    }
    if (has_pending(bystander)) return "round " + std::to_string(round) + ": a signal to a bystander";
    ::kill(bystander, SIGKILL);
    waitpid(bystander, nullptr, 0);
  }
  if (recycled < count * 9 / 10) return "only " + std::to_string(recycled) + " numbers were used again";
  return pressed > 0 ? "well" : "the holder itself was never reached";
}

}  // namespace

std::string fuzz_records(unsigned count, unsigned seed) {
  const atmost::local::Directory directory;
  return in_namespace([&] { take_slot(directory.path("ancestor"), F_OFD_SETLK); },
                      [&] { return Fuzz(directory, seed).run(count); });
}

std::string change_hands() {
  const atmost::local::Directory directory;
  const std::string path = directory.path();
  const pid_t first = stay([&] { take_slot(path, F_SETLK); });
  User taker(path);
  taker.request.expire_after = {};
  const atmost::Result<atmost::Decision> asked = taker.attempt();
  const bool taking = asked.ok() && asked.value().verdict == Verdict::take_over;
  ::kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  const pid_t second = stay([&] { take_slot(path, F_SETLK); });
  std::string wrong = taking ? "" : "no takeover";
  for (const Pressure pressure : kPressures) {
    if (!taking || pressure == Pressure::kill) continue;
    const atmost::Result<atmost::Pressed> found = taker.store().press(0, 1, asked.value().holds[0], pressure);
    if (!found.ok() || found.value().held) wrong = "taken for the first";
  }
  if (has_pending(second)) wrong = "a signal to the second";
  // And the second itself can be reached, so that the silence means something.
  const atmost::Result<atmost::Decision> again = taker.attempt();
  if (again.ok()) (void)taker.store().press(0, 1, again.value().holds[0], Pressure::interrupt);
  if (wrong.empty() && !has_pending(second)) wrong = "the second is not reached for itself";
  ::kill(second, SIGKILL);
  waitpid(second, nullptr, 0);
  return wrong;
}

std::string recycle_pids(unsigned count) {
  const atmost::local::Directory directory;
  return in_namespace([] {}, [&] { return recycle(count, directory.path()); });
}

}  // namespace witness
