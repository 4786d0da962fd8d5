// A process that executes commands on a file that it has opened, for the doctor's trials.
#ifndef ATMOST_LIBEXEC_DOCTOR_TRY_LOCKS_H
#define ATMOST_LIBEXEC_DOCTOR_TRY_LOCKS_H

#include <cstdint>
#include <string>

#include "os/helper_process.h"
#include "os/locks.h"

namespace atmost::doctor {

enum class TrialCommand : std::int32_t {
  nothing,
  open,             // the path it was started with
  write,            // eight bytes at the front
  lock,             // by description, for writing; never waits
  lock_as_process,  // the same, process-owned, and unlocks again if it got it
  query,            // kFound or kFree
  wait,             // as lock, but waits
  unlock,
  take_word,  // registers the occupancy word of slot 1 and writes it
  exec_cat,   // exec, with the file: answers only if it could not
};

// Answers of TrialCommand::query; the others answer 0 or an errno value.
inline constexpr std::int32_t kFree = -1;
inline constexpr std::int32_t kFound = -2;

class TrialPeer {
 public:
  static constexpr std::int32_t kSilent = -3;  // no answer in time
  static constexpr std::int32_t kGone = -4;

  // With a path to open, or with a descriptor to inherit.
  int start(const std::string& path, int inherit = -1);
  void tell(TrialCommand command, os::Bytes bytes = {});
  std::int32_t answer(std::int64_t patience_ns = 1'000'000'000);
  std::int32_t ask(TrialCommand command, os::Bytes bytes = {}) {
    tell(command, bytes);
    return answer();
  }
  // After exec_cat: sends an answer for cat to send back. 0 if it did.
  std::int32_t ask_raw();
  void kill() { child_.kill_and_wait(); }

 private:
  os::Child child_;
};

}  // namespace atmost::doctor

#endif
