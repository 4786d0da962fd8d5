// Tests if runs of locks that are given by a path can be logged: their log is outside of every
// directory that was examined.
#include <cerrno>

#include "core/words.h"
#include "doctor.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/self.h"

namespace atmost::doctor {
namespace {

// Creates a file in the nearest directory above `log` that exists. Returns the reason if it cannot,
// else an empty text.
std::string try_to_create(const std::string& log) {
  std::string above = log;
  os::Fd file;
  int error = ENOENT;
  while (error == ENOENT && above.size() > 1) {
    const std::size_t slash = above.rfind('/');
    above.resize(slash == std::string::npos ? 0 : slash);
    const std::string path = above + "/.atmost-doctor-" + std::to_string(os::process_id());
    error = os::create_new(path.c_str(), 0600, file);
    if (error == 0) (void)os::remove_name(path.c_str());
  }
  if (error == 0) return {};
  return (above.empty() ? "/" : above) + ": " + std::string(errno_words(error));
}

}  // namespace

void examine_log(const Result<std::string>& log, diagnosis::Findings& findings) {
  using diagnosis::Level;
  const std::string why_not =
      log.ok() ? try_to_create(log.value()) : std::string(log.error().message.view());
  const std::string runs = "runs of locks that are given by a path are ";
  if (why_not.empty()) {
    findings.add({Level::good, "history", runs + "logged in " + log.value(), {}, {}}, Code::ok);
  } else {
    findings.add({Level::doubtful,
                  "history",
                  runs + "not logged: " + why_not,
                  {},
                  "set HOME or XDG_STATE_HOME, or use --log"},
                 Code::ok);
  }
}

}  // namespace atmost::doctor
