#include "errand.h"

#include <fcntl.h>
#include <stdlib.h>

#include "core/tell.h"

namespace atmost::tell {
namespace {

std::optional<std::string> take(std::string_view name) {
  const std::string variable(name);
  const char* const value = getenv(variable.c_str());
  if (value == nullptr) return std::nullopt;
  std::string taken = value;
  unsetenv(variable.c_str());
  return taken;
}

// -1: there is none.
int take_descriptor(std::string_view name) {
  const std::optional<std::string> number = take(name);
  if (!number) return -1;
  const int fd = atoi(number->c_str());
  return fd > 2 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
}

}  // namespace

Errand take_errand(Clock::time_point deadline) {
  Errand errand;
  errand.deadline = deadline;
  take_descriptor(kEnd);
  errand.line = take(kLine).value_or("");
  errand.log = take(kLog).value_or("");
  errand.log_mode = take(kLogMode).value_or("");
  errand.notify = take(kNotify);
  if (const char* const event = getenv("ATMOST_EVENT")) errand.event = event;
  return errand;
}

}  // namespace atmost::tell
