#include "doctor.h"

#include <cerrno>

#include "core/words.h"
#include "examination.h"
#include "message.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/helper_process.h"
#include "os/self.h"

namespace atmost::doctor {
namespace {

using diagnosis::Findings;

// Five seconds are promised; the rest is for starting, writing and a slow machine.
constexpr std::int64_t kPatienceNs = 4'000'000'000;

// The child's report so far, in case it reports no more.
struct Progress {
  std::string step;
  bool created = false;
  bool done = false;
};

// Writes the findings until the child has ended or the time is over.
os::Child::Heard relay(os::Child& child, std::int64_t boot_deadline_ns, Findings& findings,
                       Progress& progress) {
  MessageReader reader;
  for (;;) {
    char bytes[4096];
    std::size_t got = 0;
    const os::Child::Heard heard = child.listen(bytes, sizeof bytes, got, boot_deadline_ns);
    if (heard != os::Child::Heard::some) return heard;
    reader.feed({bytes, got});
    for (Message message; reader.next(message);) {
      switch (message.kind) {
        case Message::Kind::finding:
          findings.add(message.finding, Code::io);
          break;
        case Message::Kind::step:
          progress.step = message.finding.check;
          break;
        case Message::Kind::created:
          progress.created = true;
          break;
        case Message::Kind::done:
          progress.done = true;
      }
    }
  }
}

}  // namespace

Status diagnose(const std::string& directory, Findings& findings) {
  const std::int64_t deadline = os::boot_ns() + kPatienceNs;
  Examination examination = {directory};
  os::Child child;
  if (const int error = child.start(examine, &examination)) {
    Error failed =
        error_of(Code::internal, error, "cannot start a process to look at the directory: ");
    failed.message.append(errno_words(error));
    return failed;
  }
  Progress progress;
  if (relay(child, deadline, findings, progress) == os::Child::Heard::silent) {
    findings.add({Level::bad, "answers", "no answer within 4 s: " + progress.step,
                  "a process that uses a lock here may hang with it",
                  "mend or unmount the filesystem, or use a local directory"},
                 Code::io);
    // A child that has a file to remove does so when it wakes, and ends; any other child has
    // nothing left to do.
    if (progress.created) {
      child.leave();
    } else {
      child.kill_and_leave();
    }
  } else if (!progress.done) {
    findings.add({Level::bad,
                  "answers",
                  "the trial ended before its time: " + progress.step,
                  {},
                  "try again; if it stays so, do not use this directory"},
                 Code::io);
  }
  return {};
}

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
