// What a wardened process tells the one above it while it can, in case it is killed: whether it has something running.
#ifndef ATMOST_OS_WARDEN_LINE_H
#define ATMOST_OS_WARDEN_LINE_H

#include <cstdint>

#include "fd.h"

namespace atmost::os {

enum class Word : char { none = 0, running = 'r', ended = 'e' };

// A pipe. The ward has both its ends: who reads a pipe himself gets no SIGPIPE when the warden has died. Nothing blocks.
class WardenLine {
 public:
  // The warden's side: 0 or an errno value. Both ends are close-on-exec, for the ward to inherit.
  int open();
  // The ward's side: takes the two ends over and keeps them from what it starts. False, and nothing is touched, when they
  // are no pipe.
  bool accept(int reader, int writer);

  int reader() const { return reader_.get(); }
  int writer() const { return writer_.get(); }

  // Without a line nothing happens.
  void say(Word word) const;
  // The last word that was said.
  Word heard() const;

 private:
  Fd reader_;
  Fd writer_;
};

}  // namespace atmost::os

#endif
