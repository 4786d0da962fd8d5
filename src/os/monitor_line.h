// What a monitored process tells the one above it while it can, in case it is killed: whether it
// has something running, and what its lease is called.
#ifndef ATMOST_OS_MONITOR_LINE_H
#define ATMOST_OS_MONITOR_LINE_H

#include <cstddef>
#include <cstdint>

#include "core/text.h"
#include "fd.h"

namespace atmost::os {

enum class Word : char { none = '-', running = 'r', ended = 'e' };

// What was told last.
struct Told {
  Word word = Word::none;
  Text<80> lease;  // empty: there is none
};

// A pipe for words, of which the monitored process has both ends: who reads a pipe himself gets no
// SIGPIPE when the monitor has died. And a pipe without words, by whose hangup the kernel knows of
// the monitored process's end. Nothing blocks.
class MonitorLine {
 public:
  // The monitor's side: 0 or an errno value. All ends are close-on-exec, for the monitored process
  // to inherit.
  int open();
  // The monitored process has inherited its ends. From now on its end continues this process,
  // should that be stopped.
  void started();
  // The monitored process's side: takes its three ends over and keeps them from what it starts.
  // False, and nothing is touched, when they are no pipes.
  bool accept(int reader, int writer, int life);

  int reader() const { return reader_.get(); }
  int writer() const { return writer_.get(); }
  int life() const { return life_.get(); }

  // Without a line nothing happens.
  void say(Word word);
  void say_lease(std::string_view lease);
  // What was told last. Takes it out of the pipe: for a dead monitored process, once.
  Told heard() const;

 private:
  void tell();

  Fd reader_;
  Fd writer_;
  Fd life_;       // the monitored process's end of the pipe without words
  Fd life_over_;  // the monitor's
  Told told_;
  std::size_t in_pipe_ = 0;  // bytes that were written and not taken out again
};

}  // namespace atmost::os

#endif
