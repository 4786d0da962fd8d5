// The output of a pass, and where it goes. Names and messages are escaped here.
#ifndef ATMOST_LIBEXEC_PASS_SAY_H
#define ATMOST_LIBEXEC_PASS_SAY_H

#include <string>
#include <string_view>

#include "core/limiter.h"
#include "core/outcome.h"
#include "pass_file.h"

namespace atmost::pass {

std::string escaped(std::string_view text);

// Writes the whole text, in one write where possible. If it cannot be written it is lost: there is
// nowhere to report that.
void put(int fd, std::string_view text);
// "atmost pass: WORDS" on standard error.
void complain(std::string_view words);
// "FILE:LINE:COLUMN: WORDS" on standard error, the columns left out where there are none.
void complain_at(const std::string& file, const Remark& remark);

// Writes warnings and, unless quiet, which holders are stopped; each signal only on a terminal.
class Narrator final : public Observer {
 public:
  Narrator(std::string name, bool quiet) : name_(std::move(name)), quiet_(quiet) {}
  void waiting(const Decision&) override {}
  void admitted(const Lease&, Duration) override {}
  void warning(const Error& about) override;
  void stopping_holder(const LockSpec& lock, std::uint32_t slot, const HolderName& who,
                       SignalStep pressure) override;
  void holder_stopped(const LockSpec& lock, const StoppedHolder& holder) override;

 private:
  std::string name_;
  bool quiet_;
};

// The outcome of an atom, or its forecast.
struct AtomResult {
  enum class Kind { not_due, repeated, answered };
  Kind kind = Kind::answered;
  Outcome outcome;  // of the limiter: answered
};

// The result as the process of a job sends it.
struct SentResult {
  AtomResult::Kind kind = AtomResult::Kind::answered;
  SentOutcome outcome;
};

AtomResult failed_result(const Error& error);

// True if the command failed, or the limiter could not do its work: an administrator should look.
bool needs_attention(const Outcome& outcome);

// "ran 3s, exited with 0", "too soon: not before 12m", …; `dry`: nothing was run.
std::string words_of(const Atom& atom, const AtomResult& result, bool dry);
// One JSON object, its names those of `atmost run --json`: kind, code, lock, ran_s, retry_in_s,
// held, reason.
std::string json_of(const Atom& atom, const AtomResult& result, bool dry);

}  // namespace atmost::pass

#endif
