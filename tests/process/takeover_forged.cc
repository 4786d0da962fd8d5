// Records and words that lie, in every way: only who holds the slot is reached by a signal.
#include <fcntl.h>
#include <unistd.h>

#include <random>
#include <set>

#include "os/calls.h"
#include "os/self.h"
#include "takeover_namespace.h"
#include "takeover_records.h"
#include "unit/store/lock_kit.h"

namespace witness {
namespace {

using atmost::SignalStep;
using atmost::Verdict;
using atmost::local::Record;
using atmost::local::User;
using atmost::local::Word;

constexpr SignalStep kPressures[] = {SignalStep::prove, SignalStep::interrupt,
                                     SignalStep::terminate, SignalStep::kill};

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
    return proper > count / 8 ? "well"
                              : "only " + std::to_string(proper) + " trials reached a holder";
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
    record.checksum = any() % 16 == 0 ? any()
                                      : atmost::local::checksum_of(
                                            &record, sizeof record - sizeof record.checksum);
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
    const std::uint64_t kHolds[] = {asked.value().holds[0], asked.value().holds[0], token_, 0,
                                    any()};
    const std::uint64_t hold = kHolds[any() % 5];
    for (const SignalStep pressure : kPressures) (void)taker.signal(hold, pressure);
  }

  std::mt19937_64 random_;
  std::vector<Target> targets_;
  std::vector<pid_t> numbers_;
  std::uint64_t token_ = 0;
  const std::uint64_t boot_ = atmost::os::boot_hash();
};

}  // namespace

std::string fuzz_records(unsigned count, unsigned seed) {
  const atmost::local::Directory directory;
  return in_namespace([&] { take_slot(directory.path("ancestor"), F_OFD_SETLK); },
                      [&] { return Fuzz(directory, seed).run(count); });
}

}  // namespace witness
