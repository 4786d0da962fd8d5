// The lease of a running command: watches it, and releases it when the hold is over.
#ifndef ATMOST_LIMITER_HELD_COMMAND_H
#define ATMOST_LIMITER_HELD_COMMAND_H

#include "admission.h"
#include "core/limiter.h"
#include "journal.h"
#include "run/kept_output.h"
#include "run/run.h"

namespace atmost::limiter {

// Owns the lease, and borrows everything else; `output`: the command's, if it is kept, else null.
// Shortens task.kill_grace when less time than that is left until the lease ends. The hold ends
// once: the first call that ends it takes the lease, and later ones find none.
class HeldCommand final : public run::SupervisionObserver {
 public:
  HeldCommand(const OpenLocks& locks, Lease lease, run::Task& task, Journal& journal,
              const Outcome& admission, atmost::Observer* observer, run::KeptOutput* output)
      : locks_(locks),
        lease_(std::move(lease)),
        request_(locks.request),
        task_(task),
        journal_(journal),
        admission_(admission),
        observer_(observer),
        output_(output),
        stops_when_displaced_(locks.traits.inheritable && request_.on_lost == OnLost::stop) {}

  void started(std::int64_t boot_ns) override;
  void main_ended(const ExitStatus& status, bool hold_over) override {
    hold_over ? this->hold_over(status) : note_taker(lease_, status);
  }
  bool taken(std::int64_t sender) override;
  void stopping(int, Stopped why) override {
    stopped_ = true;
    stopped_for_ = why;
  }
  Duration limit_reached(Stopped why, Duration reached, Doing doing) override;
  void reached() override { reached_ = true; }
  void refused(int signal, std::int64_t pid) override { journal_.unreached(signal, pid); }
  void left(std::int64_t pid, bool refused) override;
  void woken() override { look_at_files(lease_); }
  std::int64_t trim_output(std::int64_t boot_ns) override {
    return output_ != nullptr ? output_->trim(boot_ns) : Duration::kForever;
  }
  std::int64_t check(std::int64_t boot_ns) override;

  // The command has run: ends the hold, whatever processes the command left behind, unless it ended
  // with the main process; and says how both ended.
  void over(const run::RunReport& report, Outcome& to);
  // Records and ends the hold of a command that could not be executed.
  void not_started(Outcome& to);

 private:
  void warn();
  void hold_over(const ExitStatus& status);
  // The reason why the command was stopped; `own`: the supervisor's reason, if it did so.
  Stopped stopped(Stopped own) const;
  void look_at_files(const Lease& lease);
  Contest contest(const Lease& lease) const;
  void note_taker(const Lease& lease, const ExitStatus& status);
  void end(Lease lease, Ending ending, const ExitStatus& status);
  void say_left_behind();
  Duration ran(const Instant& now) const;
  void learn_from_run(const Lesson& lesson, const Instant& now);
  Lesson lesson_of(const ExitStatus& status, const Instant& now);

  const OpenLocks& locks_;
  Lease lease_;  // held until the hold ends
  const Request& request_;
  run::Task& task_;
  Journal& journal_;
  const Outcome& admission_;
  atmost::Observer* observer_;
  run::KeptOutput* output_;
  const bool stops_when_displaced_;
  std::int64_t started_boot_ns_ = 0;  // 0: it was never started
  bool told_ = false;                 // a signal asked us to end
  bool stopped_ = false;              // by us, if a signal reached it
  bool reached_ = false;
  Stopped stopped_for_ = Stopped::no;
  bool has_taught_ = false;  // that a limit ends this run
  bool asked_by_taker_ = false;
  bool taken_over_ = false;  // the hold ended because a taker stopped the command
  bool killed_ = false;      // and the taker is atmost kill
  std::int64_t taker_ = 0;
  bool lost_ = false;       // or the lock was being taken over when the hold ended
  bool displaced_ = false;  // a lock file was removed or replaced
  bool asked_to_stop_ = false;
  bool too_fast_ = false;         // successful, and shorter than --min-runtime
  std::uint32_t suspicious_ = 0;  // the locks (bits) whose runs before nearly all took longer
  Instant over_at_;               // when the hold ended; not with --now
};

// The lesson of a run that was admitted with `limits`, for the statistics.
RunSample sample_of(const Request& request, const Limits& limits, RunSample::Kind kind,
                    Duration ran);

// The beginning of a hold that `admission` describes, of a run or a keeper: writes it to the
// history, and what is learned of it (--if-elapsed auto) to the lock. With --if-elapsed or --rate,
// the last admission is written to the disk, too: otherwise the command could run too soon after a
// power failure. Blocks on the disk.
void begin_hold(const OpenLocks& locks, const Lease& lease, const Outcome& admission,
                Journal& journal);

}  // namespace atmost::limiter

#endif
