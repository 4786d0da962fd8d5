// A real process of a test: started in a group of its own, gone with the object.
#ifndef ATMOST_TESTS_POSTGRES_KIT_PROGRAM_H
#define ATMOST_TESTS_POSTGRES_KIT_PROGRAM_H

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace postgres_kit {

using Argv = std::vector<std::string>;

class Program {
 public:
  // argv[0] is a path; standard output and error go to `output`, if one is named.
  explicit Program(const Argv& argv, const std::string& output = "");
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();  // SIGKILL to the whole group

  pid_t pid() const { return pid_; }
  void signal_group(int signal) const;
  // How it ended, as a shell would say it (128 + signal); nothing when it has not within `seconds`.
  std::optional<int> wait(double seconds);

 private:
  pid_t pid_ = -1;
  std::optional<int> code_;
};

// atmost itself, from $ATMOST_BIN.
std::string atmost();
// A program that stands beside this test.
std::string beside(const std::string& name);

bool eventually(double seconds, const std::function<bool()>& condition);
double seconds_now();  // monotonic
std::string contents(const std::string& path);

}  // namespace postgres_kit

#endif
