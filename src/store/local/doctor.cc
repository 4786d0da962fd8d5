#include "doctor.h"

#include "core/words.h"
#include "examination.h"
#include "findings.h"
#include "os/child.h"
#include "os/clock.h"
#include "report.h"

namespace atmost::local {
namespace {

// Five are promised; the rest is for starting, writing and a slow machine.
constexpr std::int64_t kPatienceNs = 4'000'000'000;

// Writes findings as they come and remembers what the verdict needs.
class Teller {
 public:
  Teller(std::string_view directory, int fd, bool json)
      : directory_(directory), out_(fd), json_(json) {}

  void tell(const Finding& finding) {
    if (finding.level == Level::warn) ++warnings_;
    if (finding.level == Level::fail && ++failures_ == 1) {
      reason_ = Text<2000>(finding.what);
      if (!finding.why.empty()) reason_.append("; ").append(finding.why);
    }
    json_ ? tell_json(finding) : tell_text(finding);
    out_.flush();  // whoever watches sees how far it came
  }

  Result<bool> verdict() {
    json_ ? verdict_json() : verdict_text();
    if (Status written = out_.finish(); !written.ok()) return written.error();
    return failures_ == 0;
  }

 private:
  static std::string_view word(Level level) {
    return level == Level::ok ? "ok" : level == Level::warn ? "warn" : "FAIL";
  }

  void tell_text(const Finding& finding) {
    constexpr std::size_t kLevelWidth = 6;
    constexpr std::size_t kCheckWidth = 16;
    pad(word(finding.level), kLevelWidth);
    pad(finding.check, kCheckWidth);
    out_.shown(finding.what);
    if (!finding.why.empty()) out_.text("; ").shown(finding.why);
    if (!finding.advice.empty()) out_.text(": ").shown(finding.advice);
    out_.line();
  }

  void pad(std::string_view text, std::size_t width) {
    out_.text(text);
    for (std::size_t i = text.size(); i < width; ++i) out_.text(" ");
  }

  void tell_json(const Finding& finding) {
    out_.text("{\"level\":\"").text(finding.level == Level::fail ? "fail" : word(finding.level));
    out_.text("\",\"check\":\"").json(finding.check).text("\",\"what\":\"").json(finding.what);
    out_.text("\",\"why\":\"").json(finding.why).text("\",\"advice\":\"").json(finding.advice);
    out_.text("\",\"store\":\"").json(directory_).text("\"}\n");
  }

  void verdict_text() {
    out_.text(failures_ == 0 ? "yes: locks can be trusted in " : "no: locks cannot be trusted in ");
    out_.shown(directory_);
    if (failures_ > 0) {
      out_.text(": ").shown(reason_);
    } else if (warnings_ > 0) {
      out_.text(" (").count(warnings_).text(warnings_ == 1 ? " warning)" : " warnings)");
    } else {
      out_.text(": every trial went well");
    }
    out_.line();
  }

  // A finding like the others, so that programs need to know one kind of line (atmost(1)).
  void verdict_json() {
    const Level level = failures_ > 0 ? Level::fail : warnings_ > 0 ? Level::warn : Level::ok;
    tell_json({level, "verdict", failures_ == 0 ? "yes" : "no", reason_, {}});
  }

  std::string_view directory_;
  Report out_;
  bool json_;
  std::uint32_t warnings_ = 0;
  std::uint32_t failures_ = 0;
  Text<2000> reason_;
};

// What the child has told so far, for the case that it tells no more.
struct Progress {
  Text<200> step;
  bool created = false;
  bool done = false;
};

// Tells the findings until the child has ended or the time is over.
os::Child::Heard relay(os::Child& child, std::int64_t boot_deadline_ns, Teller& teller,
                       Progress& progress) {
  static FindingReader reader;
  for (;;) {
    std::size_t got = 0;
    const os::Child::Heard heard =
        child.listen(reader.room(), reader.room_size(), got, boot_deadline_ns);
    if (heard != os::Child::Heard::some) return heard;
    reader.filled(got);
    for (Finding finding; reader.next(finding);) {
      if (finding.level == Level::step) {
        progress.step = Text<200>(finding.check);
      } else if (finding.level == Level::created) {
        progress.created = true;
      } else if (finding.level == Level::done) {
        progress.done = true;
      } else {
        teller.tell(finding);
      }
    }
  }
}

}  // namespace

Result<bool> diagnose(std::string_view directory, int fd, bool json) {
  const std::int64_t deadline = os::boot_ns() + kPatienceNs;
  Teller teller(directory, fd, json);
  Progress progress;
  Examination examination;
  examination.directory = PathText(directory);
  os::Child child;
  if (const int error = child.start(examine, &examination)) {
    Error failed =
        error_of(Code::internal, error, "cannot start a process to look at the directory: ");
    failed.message.append(errno_words(error));
    return failed;
  }
  const os::Child::Heard heard = relay(child, deadline, teller, progress);
  if (heard == os::Child::Heard::silent) {
    Text<300> what("no answer within 4 s: ");
    what.append(progress.step);
    teller.tell({Level::fail, "answers", what, "whoever uses a lock here may hang with it",
                 "mend or unmount the filesystem, or use a local directory"});
    // One that has a file to remove does so when it wakes, and ends; the others have nothing to
    // wake for.
    if (progress.created) {
      child.leave();
    } else {
      child.kill_and_leave();
    }
    return teller.verdict();
  }
  if (!progress.done) {
    Text<300> what("the trial ended before its time: ");
    what.append(progress.step);
    teller.tell(
        {Level::fail, "answers", what, {}, "try again; if it stays so, do not use this directory"});
  }
  return teller.verdict();
}

}  // namespace atmost::local
