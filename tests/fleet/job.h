// Processes that a test starts, and waits for with patience that ends.
#ifndef ATMOST_TESTS_FLEET_JOB_H
#define ATMOST_TESTS_FLEET_JOB_H

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace fleet_kit {

double seconds_now();  // of the boot clock

class Job {
 public:
  // In a process group of its own, standard output and error to /dev/null. `before` is called in the new process before it
  // becomes the program.
  explicit Job(std::vector<std::string> argv, const std::function<void()>& before = {});
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  Job(Job&& other) noexcept : pid_(other.pid_), code_(other.code_) { other.pid_ = -1; }
  ~Job();  // SIGKILL to the whole group, if it is still there

  pid_t pid() const { return pid_; }
  // The exit code, 128 + signal, or -1 when it runs on after so many seconds.
  int wait(double seconds);

 private:
  pid_t pid_ = -1;
  int code_ = -1;
};

// atmost run with a store, options, and a command for sh.
std::vector<std::string> run_line(const std::string& store, const std::vector<std::string>& options,
                                  const std::string& script);

// What a line for sh wrote, both streams, and how it ended.
struct Said {
  int code = -1;
  std::string words;
  double seconds = 0;
};
Said shell(const std::string& line);

// What a file holds, "" when there is none yet; and a look at it until it holds something.
std::string contents(const std::string& path);
std::string await_contents(const std::string& path, double seconds);

// Whether a process is there and no zombie.
bool alive(pid_t pid);

}  // namespace fleet_kit

#endif
