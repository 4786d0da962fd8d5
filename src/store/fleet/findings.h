// What atmost doctor says of a store that many machines share: one line a finding, for people or as
// JSON (atmost(1) has the names, which are those of a directory's findings).
#ifndef ATMOST_STORE_FLEET_FINDINGS_H
#define ATMOST_STORE_FLEET_FINDINGS_H

#include <cstdint>
#include <string>
#include <utility>

#include "core/result.h"

namespace atmost::fleet {

enum class Level { good, doubtful, bad };

// Writes to `fd` as it goes.
class Findings {
 public:
  // `store`: its name for programs, without secrets.
  Findings(int fd, bool json, std::string store) : fd_(fd), json_(json), store_(std::move(store)) {}

  // What the findings from now on are about: a word, the same for the same check whatever it finds.
  void about(const char* check) { check_ = check; }
  // `bad`: what a bad finding means to whoever wants to use the store.
  void say(Level level, const std::string& what, Code bad = Code::unavailable);
  // Nothing bad was found so far.
  bool trusted() const { return worst_ == Code::ok; }
  // What the first bad finding means, ok if there was none; an error if not all of it could be
  // written. The last call: for programs it writes a last line.
  Result<Code> verdict();

 private:
  std::string as_json(Level level, const char* check, const std::string& what,
                      const std::string& why) const;
  void write_line(const std::string& line);

  int fd_;
  bool json_;
  const std::string store_;
  const char* check_ = "answers";
  std::string reason_;     // the first bad finding
  bool doubtful_ = false;  // some finding was
  Code worst_ = Code::ok;
  int failed_ = 0;  // the errno value of a finding that could not be written
};

// "1.4 ms"
std::string millis(std::int64_t ns);

}  // namespace atmost::fleet

#endif
