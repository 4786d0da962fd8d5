// Processes that a test starts, and waits for with patience that ends.
#ifndef ATMOST_TESTS_FLEET_JOB_H
#define ATMOST_TESTS_FLEET_JOB_H

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fleet_kit {

using Argv = std::vector<std::string>;  // its first word is a path, or looked for in $PATH

// A process in a group of its own, and without input. It gets SIGKILL when the thread that started
// it ends, however that ends, so that nothing outlives a test that is killed; what it started
// itself is in its own hands.
class Job {
 public:
  // Its output goes nowhere; with $ATMOST_TEST_LOUD standard error goes where the test's does.
  // `before` is called in the new process before it becomes the program. Ends the test's process
  // when none can be started.
  explicit Job(Argv argv, const std::function<void()>& before = {});
  // Both streams are appended to the file `output`, if one is named.
  Job(Argv argv, const std::string& output);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  Job(Job&& other) noexcept : pid_(other.pid_), code_(other.code_) { other.pid_ = -1; }
  ~Job();  // SIGKILL to the whole group, unless wait() has returned its end

  pid_t pid() const { return pid_; }
  // Nothing once wait() has returned its end: the number may be another's.
  void signal_group(int signal) const;
  // Its exit code in a shell (128 + signal); nothing when it has not within so many seconds.
  std::optional<int> wait(double seconds);

 private:
  pid_t pid_ = -1;  // -1: moved away
  std::optional<int> code_;
};

std::string atmost_program();                 // in $ATMOST_BIN (default: ../../bin from here)
std::string beside(const std::string& name);  // a program that stands beside this test

// atmost run with a store, options, and a command for sh.
Argv run_line(const std::string& store, const Argv& options, const std::string& script);

// The output of a line for sh, both streams, and how it ended.
struct Said {
  int code = -1;
  std::string words;
  double seconds = 0;
};
Said shell(const std::string& line);

double seconds_now();  // of the boot clock
// An upper bound that the machine's load alone may exceed: as given where nothing else runs (`make
// soak` sets ATMOST_TESTS_TIMED), elsewhere half a minute more.
double within(double seconds);
// Looks every few milliseconds until the condition holds; false when it does not within so many
// seconds.
bool eventually(double seconds, const std::function<bool()>& condition);

// The content of a file, "" when there is none yet; and a look at it until it holds whole lines.
std::string contents(const std::string& path);
std::string await_contents(const std::string& path, double seconds);

// True if a process is there and no zombie.
bool alive(pid_t pid);

}  // namespace fleet_kit

#endif
