// The findings of atmost doctor about a store, a directory or one of many machines: one line a
// finding, for people or as JSON (atmost-doctor(1) has the format).
#ifndef ATMOST_DIAGNOSIS_FINDINGS_H
#define ATMOST_DIAGNOSIS_FINDINGS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace atmost::diagnosis {

enum class Level : std::uint8_t { good, doubtful, bad };

// The views are borrowed for the call.
struct Finding {
  Level level = Level::good;
  std::string_view check;   // a word, always the same for the same check
  std::string_view what;    // the trial or observation, with its result
  std::string_view why;     // the reason why it matters; may be empty
  std::string_view advice;  // the cure; may be empty
};

// Writes each finding to `fd` at once, so that a reader sees the doctor's progress. Blocks as `fd`
// does. After a failed write the rest is discarded, and verdict() returns the reason. A reader that
// closed its end raises no SIGPIPE. Single-threaded.
class Findings {
 public:
  // `store`: its name for people and programs, without secrets.
  Findings(int fd, bool json, std::string store) : fd_(fd), json_(json), store_(std::move(store)) {}
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;

  // `bad`: the consequence of a bad finding for the store's users.
  void add(const Finding& finding, Code bad);
  // The same in two steps: about() sets Finding::check for all findings that follow.
  void about(const char* check) { check_ = check; }
  void say(Level level, const std::string& what, Code bad = Code::unavailable);
  // True if nothing bad was found so far.
  bool trusted() const { return worst_ == Code::ok; }
  // Writes the last line: yes or no. Returns the consequence of the first bad finding, ok if there
  // was none, and an error (io) if not everything could be written. The last call.
  Result<Code> verdict();

 private:
  void write_line(const std::string& line);
  std::string as_json(const Finding& finding) const;

  int fd_;
  bool json_;
  const std::string store_;
  const char* check_ = "answers";
  std::string reason_;  // of the first bad finding
  std::size_t doubtful_ = 0;
  Code worst_ = Code::ok;
  int failed_ = 0;  // the errno value of a line that could not be written
};

// "1.4 ms"
std::string millis(std::int64_t ns);

}  // namespace atmost::diagnosis

#endif
