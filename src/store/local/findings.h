// What the doctor's child found, on its way through a pipe to the process that tells it.
#ifndef ATMOST_STORE_LOCAL_FINDINGS_H
#define ATMOST_STORE_LOCAL_FINDINGS_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text.h"

namespace atmost::local {

enum class Level : char {
  ok = 'o',
  warn = 'w',
  fail = 'F',
  step = 's',     // no finding: what is tried next, so that we can say what never came back
  created = 'c',  // no finding: from here on the child has a file to remove
  done = 'd',     // no finding: everything was tried
};

struct Finding {
  Level level = Level::ok;
  std::string_view check;   // a word, the same for the same check whatever it found
  std::string_view what;    // seen or tried, with its result
  std::string_view why;     // it matters
  std::string_view advice;  // what to do
};

// The child's side; sends at once.
void send(const Finding& finding);
inline void step(std::string_view next) { send({Level::step, next, {}, {}, {}}); }
inline void ok(std::string_view check, std::string_view what) {
  send({Level::ok, check, what, {}, {}});
}

// The other side: bytes in, findings out. Borrowed views end with the next call.
class FindingReader {
 public:
  char* room() { return bytes_ + filled_; }
  std::size_t room_size() const { return sizeof bytes_ - filled_; }
  void filled(std::size_t size) { filled_ += size; }
  bool next(Finding& to);

 private:
  static constexpr std::size_t kFields = 4;
  std::size_t taken_ = 0;
  std::size_t filled_ = 0;
  char bytes_[32768];
};

}  // namespace atmost::local

#endif
