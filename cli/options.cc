#include "options.h"

#include "core/parse.h"
#include "values.h"

namespace atmost::cli {
namespace {

constexpr unsigned kAdmission =
    kRun | kCheck | kWait | kHold;  // whoever asks whether one more may start

// In the order in which help shows them.
constexpr Option kOptions[] = {
    {Id::max, 'n', "max", "N", kAdmission, "at most N instances at a time (1)"},
    {Id::take, 'k', "take", "K", kAdmission, "take K of the slots, all or none (1)"},
    {Id::shared, 0, "shared", "", kAdmission, "readers together, while no writer is in"},
    {Id::exclusive, 0, "exclusive", "", kAdmission, "a writer alone"},
    {Id::wait, 'w', "wait", "DUR", kRun | kWait | kHold,
     "wait so long for admission; inf: for ever"},
    {Id::on_busy, 0, "on-busy", "ACTION", kRun,
     "then fail (75), skip (0), replace the oldest or join the next run"},
    {Id::if_elapsed, 0, "if-elapsed", "DUR|auto", kRun | kCheck | kHold,
     "too soon if the last admission is more recent"},
    {Id::on_too_soon, 0, "on-too-soon", "ACTION", kRun, "then fail (76), skip (0) or wait"},
    {Id::elapsed_from, 0, "elapsed-from", "POINT", kRun | kCheck | kHold,
     "measure from start, finish or success (start)"},
    {Id::expire_after, 0, "expire-after", "DUR|auto", kRun | kHold,
     "stop holders in the way older than this; hold: let go after it"},
    {Id::max_runtime, 0, "max-runtime", "DUR|auto", kRun, "stop the command after so long (124)"},
    {Id::auto_min, 0, "auto-min", "DUR", kRun | kTune, "what is auto is never shorter (1s)"},
    {Id::auto_max, 0, "auto-max", "DUR", kRun | kCheck | kTune,
     "what is auto is never longer (inf)"},
    {Id::auto_risk, 0, "auto-risk", "N", kRun | kTune,
     "of 1,000 good runs about N may be stopped by auto (5)"},
    {Id::no_memory, 0, "no-memory", "", kRun, "auto does not learn from this run"},
    {Id::kill_grace, 0, "kill-grace", "DUR", kRun | kKill,
     "pause after each of INT, TERM, KILL (2s)"},
    {Id::also, 0, "also", "[N@]LOCK", kRun | kHold, "take that lock too, all or none; repeatable"},
    {Id::now, 0, "now", "TIME", kRun | kCheck | kHold,
     "decide as if it were TIME (seconds since 1970)"},
    {Id::splay, 0, "splay", "DUR", kRun, "first wait a part of DUR, fixed by host and lock name"},
    {Id::exec, 0, "exec", "", kRun, "become the command instead of staying beside it"},
    {Id::until, 0, "until", "END", kRun | kHold,
     "hold until main, tree or close (main; with --exec tree)"},
    {Id::close, 0, "close", "", kRun, "do not pass the lock's descriptor on"},
    {Id::id, 0, "id", "TEXT", kRun | kWait | kHold, "a note that list shows, up to 63 bytes"},
    {Id::ttl, 0, "ttl", "DUR", kRun, "fleet: how long a lease lasts (15s)"},
    {Id::on_lost, 0, "on-lost", "ACTION", kRun,
     "when the lock is lost, stop or warn (fleet: stop, file: warn)"},
    {Id::mode, 0, "mode", "OCTAL", kRun | kWait | kHold,
     "mode of a lock file that this call creates (600; see atmost(1))"},
    {Id::trust_fs, 0, "trust-fs", "", kAdmission | kDrain | kResume | kKill,
     "this filesystem is known to keep locks"},
    {Id::with_flock, 0, "with-flock", "", kRun | kHold,
     "also hold flock(2) on the file: excludes flock(1)"},
    {Id::alert_after, 0, "alert-after", "COUNT", kRun,
     "refusals are silent, but for every COUNTth in a row"},
    {Id::busy_exit_code, 0, "busy-exit-code", "N", kAdmission,
     "exit with N instead of 75 when busy"},
    {Id::status_fd, 0, "status-fd", "FD", kAdmission,
     "write the outcome there, as one line of JSON"},
    {Id::log, 0, "log", "FILE", kRun | kHold, "where to log"},
    {Id::no_history, 0, "no-history", "", kRun | kHold, "do not log"},
    {Id::log_args, 0, "log-args", "", kRun, "log the whole command line"},
    {Id::watch, 0, "watch", "", kList, "show it again every second"},
    {Id::slot, 0, "slot", "S", kDrain | kResume | kKill, "only slot S"},
    {Id::overdue, 0, "overdue", "", kKill,
     "only holders older than the --expire-after they were started with"},
    {Id::dry_run, 0, "dry-run", "", kKill, "only name them"},
    {Id::for_pid, 0, "for-pid", "PID", kHold | kRelease,
     "the process on whose behalf (release: who calls)"},
    {Id::keeper_to, 0, "keeper-to", "FILE", kHold,
     "append there how lock_unlock can ask the keeper"},
    {Id::store, 0, "store", "URL", kEvery,
     "file:, symlink:, etcd://HOSTS/PREFIX, postgres://... ($ATMOST_STORE)"},
    {Id::dir, 0, "dir", "DIR", kEvery, "where named locks live ($ATMOST_DIR, or see atmost(1))"},
    {Id::host, 0, "host", "NAME", kEvery, "the name to know this machine by"},
    {Id::json, 0, "json", "", kEvery, "one JSON object a line"},
    {Id::quiet, 'q', "quiet", "", kEvery, "say nothing about refusals"},
    {Id::verbose, 'v', "verbose", "", kEvery, "say what happens"},
    {Id::help, 'h', "help", "", kEvery, "show this"},
    {Id::version, 'V', "version", "", kEvery, "show the version"},
};

Error about(std::string_view option, std::string_view what) {
  Error error = error_of(Code::usage, 0, option);
  error.message.append(": ").append(what);
  return error;
}

std::string_view subcommand_name(unsigned subcommand) {
  constexpr std::string_view kNames[] = {"run",    "check", "wait", "list",    "drain", "resume",
                                         "forget", "kill",  "hold", "release", "tune"};
  for (unsigned i = 0; i < 11; ++i) {
    if (subcommand == 1u << i) return kNames[i];
  }
  return "this";
}

Error not_taken(std::string_view typed, unsigned subcommand) {
  const std::string_view name = subcommand_name(subcommand);
  Error error = error_of(Code::usage, 0, typed);
  error.message.append(": no option of ")
      .append(name)
      .append(": atmost ")
      .append(name)
      .append(" --help lists them");
  return error;
}

// A user of flock or of timeout means one of two different things: neither is guessed.
Error two_timeouts() {
  return about(
      "--timeout",
      "means two things: use --wait for how long to wait for admission, or --max-runtime for "
      "how long the command may run");
}

class Reader {
 public:
  Reader(int argc, char* const* argv, Invocation& to) : argc_(argc), argv_(argv), to_(to) {}

  Status read() {
    for (at_ = 1; at_ < argc_; ++at_) {
      const std::string_view word = argv_[at_];
      if (word == "--") {
        ++at_;
        break;
      }
      if (word.size() < 2 || word[0] != '-') break;
      const Status read =
          word[1] == '-' ? long_option({word.data() + 2, word.size() - 2}) : letters(word);
      if (!read.ok()) return read;
    }
    to_.operands = argv_ + (at_ < argc_ ? at_ : argc_);
    to_.operand_count = at_ < argc_ ? argc_ - at_ : 0;
    return {};
  }

 private:
  Status long_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name{word.data(),
                                equals == std::string_view::npos ? word.size() : equals};
    if (name == "timeout") return two_timeouts();
    for (const Option& option : kOptions) {
      if (option.name != name) continue;
      if (equals == std::string_view::npos) return take(option, {}, false);
      return take(option, {word.data() + equals + 1, word.size() - equals - 1}, true);
    }
    Text<300> typed("--");
    return not_taken(typed.append(name), to_.subcommand);
  }

  // -qn4: letters without a value, the last with one, which is the rest or the next word.
  Status letters(std::string_view word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Option* found = nullptr;
      for (const Option& option : kOptions) {
        if (option.letter == word[i]) found = &option;
      }
      if (found == nullptr) {
        Text<8> typed("-");
        return not_taken(typed.push(word[i]), to_.subcommand);
      }
      const std::string_view rest{word.data() + i + 1, word.size() - i - 1};
      const bool attached = !found->value.empty() && !rest.empty();
      if (const Status taken = take(*found, rest, attached); !taken.ok()) return taken;
      if (attached) break;
    }
    return {};
  }

  Status take(const Option& option, std::string_view value, bool attached) {
    Text<40> typed("--");
    typed.append(option.name);
    if ((option.subcommands & to_.subcommand) == 0) return not_taken(typed, to_.subcommand);
    if (option.value.empty() && attached) return about(typed, "takes no value");
    if (!option.value.empty() && !attached) {
      if (at_ + 1 >= argc_) {
        Error error = about(typed, "needs a value: ");
        error.message.append(option.value);
        return error;
      }
      value = argv_[++at_];
    }
    to_.given |= std::uint64_t{1} << static_cast<unsigned>(option.id);
    if (const Status stored = store_value(option.id, value, to_); !stored.ok()) {
      Error error = about(typed, stored.error().message);
      error.code = stored.error().code;
      return error;
    }
    return {};
  }

  int argc_;
  char* const* argv_;
  Invocation& to_;
  int at_ = 1;
};

}  // namespace

std::span<const Option> options() { return kOptions; }

Status read_options(int argc, char* const* argv, Invocation& to) {
  return Reader(argc, argv, to).read();
}

}  // namespace atmost::cli
