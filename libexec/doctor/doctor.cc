#include "doctor.h"

#include "core/words.h"
#include "examination.h"
#include "message.h"
#include "os/child.h"
#include "os/clock.h"

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

}  // namespace atmost::doctor
