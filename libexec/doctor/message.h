// The findings of the doctor's child, as sent through a pipe to the process that prints them.
#ifndef ATMOST_LIBEXEC_DOCTOR_MESSAGE_H
#define ATMOST_LIBEXEC_DOCTOR_MESSAGE_H

#include <cstdint>
#include <string>
#include <string_view>

#include "diagnosis/findings.h"

namespace atmost::doctor {

using diagnosis::Finding;
using diagnosis::Level;

struct Message {
  enum class Kind : char {
    finding = 'f',
    step = 's',     // what is tried next (finding.check): what never came back can be named
    created = 'c',  // from here on the child has a file to remove
    done = 'd',     // everything was tried
  };
  Kind kind = Kind::finding;
  Finding finding;
};

// The child's side; sends at once. A field ends with its first NUL, and after 6,000 bytes.
void send(const Message& message);
inline void send(const Finding& finding) { send({Message::Kind::finding, finding}); }
inline void send(Message::Kind kind) { send({kind, {}}); }
inline void step(std::string_view next) {
  send({Message::Kind::step, {Level::good, next, {}, {}, {}}});
}
inline void report_good(std::string_view check, std::string_view what) {
  send(Finding{Level::good, check, what, {}, {}});
}

// The other side: bytes in, messages out. The views of a message end with the next call.
class MessageReader {
 public:
  void feed(std::string_view bytes) { bytes_.append(bytes); }
  bool next(Message& to);

 private:
  std::string bytes_;
  std::size_t taken_ = 0;  // at the front of bytes_
};

}  // namespace atmost::doctor

#endif
