// Runs atoms side by side, each in a separate process.
#ifndef ATMOST_LIBEXEC_PASS_WORKER_POOL_H
#define ATMOST_LIBEXEC_PASS_WORKER_POOL_H

#include <signal.h>

#include <functional>
#include <list>
#include <optional>
#include <string>

#include "job.h"

namespace atmost::pass {

// While alive, HUP, INT, QUIT and TERM for this process are noted; signals that were ignored
// (nohup) stay ignored.
class Notes {
 public:
  Notes();
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  ~Notes();

  // The signals' mask before; with it they can arrive.
  const sigset_t& mask_before() const { return mask_before_; }

 private:
  sigset_t mask_before_;
  struct sigaction before_[4];
};

// While an atom runs in it, signals that end programs are noted, passed on to its atoms (unless the
// terminal sent them, which reaches those itself), and end the waiting. Single-threaded, one at a
// time.
class WorkerPool {
 public:
  using Tell = std::function<void(const Atom&, const AtomResult&)>;

  // At most `jobs` at a time. With more than one their output is collected and written line by
  // line, each line whole and under its atom's name; with one they have our streams. `secrets`
  // (borrowed) are for the stores of jobs in a fleet.
  WorkerPool(unsigned jobs, bool quiet, const Variables& secrets, Tell tell);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Blocks until one more may be started. Returns the signal that came to end us, or 0.
  int make_room();
  // REQUIRES: a free worker. The request is copied by the new process.
  void start(const Job& job);
  // Blocks until all have ended and were reported. Returns the same.
  int finish_all();

 private:
  struct Stream {
    int to = 1;
    std::string pending;  // the beginning of a line
  };
  struct Member {
    const Atom* atom = nullptr;
    Child child;
    Stream out{1, {}};
    Stream err{2, {}};
  };

  void wait();
  void pass_signal_on();
  // False at the end of the stream.
  bool read_some(const Member& member, const os::Fd& from, Stream& stream);
  void write_lines(const Member& member, Stream& stream, bool all);
  void end(Member& member);

  unsigned jobs_;
  bool quiet_;
  const Variables& secrets_;
  Tell tell_;
  std::list<Member> members_;
  std::optional<Notes> notes_;  // while there are members
};

}  // namespace atmost::pass

#endif
