// Slots that change hands under one number, and numbers that change hands under one lock.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "takeover_namespace.h"
#include "takeover_records.h"
#include "unit/store/lock_kit.h"

namespace witness {
namespace {

using atmost::SignalStep;
using atmost::Verdict;
using atmost::local::Record;
using atmost::local::User;

// A process whose descriptors are shared by those who take its locks: the kernel reports the
// taker's number, which is free again when the taker has ended, while the lock lives on.
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
    for (const SignalStep pressure : {SignalStep::interrupt, SignalStep::terminate}) {
      const atmost::Result<atmost::SignalResult> found = taker.signal(hold, pressure);
      if (found.ok() && found.value().signalled > 0) ++pressed;
    }
    if (has_pending(bystander))
      return "round " + std::to_string(round) + ": a signal to a bystander";
    ::kill(bystander, SIGKILL);
    waitpid(bystander, nullptr, 0);
  }
  if (recycled < count * 9 / 10)
    return "only " + std::to_string(recycled) + " numbers were used again";
  return pressed > 0 ? "well" : "the holder itself was never reached";
}

}  // namespace

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
  for (const SignalStep pressure :
       {SignalStep::prove, SignalStep::interrupt, SignalStep::terminate}) {
    if (!taking) continue;
    const atmost::Result<atmost::SignalResult> found =
        taker.signal(asked.value().holds[0], pressure);
    if (!found.ok() || found.value().held) wrong = "taken for the first";
  }
  if (has_pending(second)) wrong = "a signal to the second";
  // And the second itself can be reached, so that the silence means something.
  const atmost::Result<atmost::Decision> again = taker.attempt();
  if (again.ok()) (void)taker.signal(again.value().holds[0], SignalStep::interrupt);
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
