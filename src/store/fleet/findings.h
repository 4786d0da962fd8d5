// What atmost doctor says of a store that many machines share: one line a finding, for people or as JSON.
#ifndef ATMOST_STORE_FLEET_FINDINGS_H
#define ATMOST_STORE_FLEET_FINDINGS_H

#include <cstdint>
#include <string>

#include "atmost/result.h"

namespace atmost::fleet {

enum class Level { good, doubtful, bad };

// Writes to `fd` as it goes.
class Findings {
 public:
  Findings(int fd, bool json) : fd_(fd), json_(json) {}

  // `bad`: what a bad finding means to whoever wants to use the store.
  void say(Level level, const std::string& what, Code bad = Code::unavailable);
  // Nothing bad was found so far.
  bool trusted() const { return worst_ == Code::ok; }
  // What the first bad finding means, ok if there was none; an error if not all of it could be written.
  Result<Code> verdict() const;

 private:
  int fd_;
  bool json_;
  Code worst_ = Code::ok;
  int failed_ = 0;  // the errno value of a finding that could not be written
};

// "1.4 ms"
std::string millis(std::int64_t ns);

}  // namespace atmost::fleet

#endif
