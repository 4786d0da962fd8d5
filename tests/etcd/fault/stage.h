// The stage on which one caller after another meets faults: its processes, the reports of their
// commands, and the state of etcd, read directly.
#ifndef ATMOST_TESTS_ETCD_FAULT_STAGE_H
#define ATMOST_TESTS_ETCD_FAULT_STAGE_H

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proxy.h"

namespace etcd_kit {

// The value of a key in etcd; created 0: nothing.
struct Kept {
  std::uint64_t created = 0;
  std::int64_t lease = 0;
};

// A process that was started; -1: it has ended.
struct Process {
  pid_t pid = -1;
  int pidfd = -1;
  int output = -1;
  int code = -1;     // once it has ended: its exit code, or 128 + signal
  std::string said;  // on standard output and standard error
};

// The words of a command that runs. One owner: the stage.
struct Guest {
  int fd = -1;
  std::string said;  // "LABEL TOKEN\n"
  std::string label() const { return said.substr(0, said.find(' ')); }
  std::uint64_t token() const;
};

// One thread owns it. Everything it started is killed with it.
class Stage {
 public:
  Stage(const std::string& etcd, const std::string& directory, unsigned number);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();

  FaultProxy& proxy() { return proxy_; }
  // A prefix that nobody used before.
  std::string fresh_prefix() {
    return "/f" + std::to_string(number_) + "-" + std::to_string(++prefixes_);
  }

  enum class Way : std::uint8_t { direct, harmed };
  // atmost WORDS, with its store; by the harmed way it gives up after 400 ms. `label`: of its
  // command, which exits with `code`; "": the words name none.
  Process start(Way way, const std::string& prefix, std::vector<std::string> words,
                const std::string& label = "", int code = 3);

  enum class What : std::uint8_t { time, began, gone, ended };
  struct Event {
    What what = What::time;
    std::string label;
    std::uint64_t token = 0;
  };
  // Until a command reports that it runs (began), or ends without an order (gone), or `process`
  // ends, or that moment of the boot clock.
  Event next(Process& process, double until);
  // Tells the command to end; false when it is not there.
  bool let_go(const std::string& label);
  // All of its group.
  static void kill_all(Process& process);

  Kept kept(const std::string& key) const;
  // True if the slot is held by that admission, under a lease that is alive.
  bool truly_held(const std::string& prefix, std::uint64_t token, const char* lock = "lock") const;
  bool any_waiter(const std::string& prefix) const;

 private:
  bool hear(int fd, Event& event);

  std::string etcd_;
  std::string socket_path_;
  unsigned number_;
  unsigned prefixes_ = 0;
  int listening_ = -1;
  FaultProxy proxy_;
  std::map<int, Guest> guests_;
};

}  // namespace etcd_kit

#endif
