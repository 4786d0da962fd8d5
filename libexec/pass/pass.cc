#include "pass.h"

#include <cerrno>

#include "core/limiter.h"
#include "job.h"
#include "os/host.h"
#include "os/spawn.h"
#include "worker_pool.h"

namespace atmost::pass {
namespace {

// One request at a time is looked at.
ScopedArena texts;
Settings settings;

Zone zone_of(const PassFile& file) {
  return file.time_zone.empty() ? Zone({}) : Zone::named(file.time_zone).value_or(Zone("UTC0"));
}

// True if there was no answer, as opposed to one that could not be used.
bool is_out_of_reach(const AtomResult& result) {
  const Outcome& outcome = result.outcome;
  return result.kind == AtomResult::Kind::answered && outcome.kind == Outcome::Kind::failed &&
         outcome.error.code == Code::unavailable && outcome.error.sys == ETIMEDOUT;
}

}  // namespace

Pass::Pass(const Options& options, const PassFile& file, const Host& host,
           const NamingContext& around, const Stores& stores, Variables secrets)
    : options_(options),
      file_(file),
      around_(around),
      stores_(stores),
      secrets_(std::move(secrets)),
      zone_(zone_of(file)),
      classes_(host, file.groups,
               [](const std::string& group, const std::vector<std::string>& command) {
                 return ask_command(group, command,
                                    [](const std::string& words) { complain(words); });
               }),
      all_told_(options.verbose || options.json || (!options.quiet && os::is_terminal(2))) {
  first_.now = now();
  if (options.now_ns) {
    first_.now.real_ns = *options.now_ns;
    first_.now.given = true;
  }
  first_.moment = look_at(zone_, first_.now.real_ns / 1'000'000'000);
}

Pass::Turn Pass::turn() const {
  if (!options_.clock_per_atom || options_.now_ns) return first_;
  Turn turn;
  turn.now = now();
  turn.moment = look_at(zone_, turn.now.real_ns / 1'000'000'000);
  return turn;
}

std::optional<Job> Pass::due(const Atom& atom, const Turn& at, bool ask, AtomResult& result) {
  const Moment& moment = at.moment;
  result.kind = AtomResult::Kind::not_due;
  if (!classes_.holds(atom.when, moment.time) &&
      !(moment.skipped && classes_.holds(atom.when, *moment.skipped))) {
    return {};
  }
  const bool fleet = in_fleet(atom, options_);
  if (fleet && out_of_reach_) {
    // Each request would take the whole timeout: with a long file, jobs with scope "host" would
    // wait for all of them.
    result = failed_result(
        error_of(Code::unavailable, ETIMEDOUT, "not run: its store could not be reached just now"));
    return {};
  }
  const Status made = make_request(atom, options_, around_, at.now, texts, settings);
  if (!made.ok()) {
    result = failed_result(made.error());
    return {};
  }
  std::optional<Job> job(Job{atom,
                             settings.request,
                             fleet ? *stores_.shared : stores_.files,
                             fleet ? options_.store : "",
                             {}});
  if (atom.names_hours) job->not_since = moment.first_time;
  if (fleet && !ask) return job;  // its own process will ask
  const Result<bool> ran = ran_already(*job);
  if (ran.ok() && !ran.value()) return job;
  result = ran.ok() ? AtomResult{AtomResult::Kind::repeated, {}} : failed_result(ran.error());
  return {};
}

void Pass::note(const AtomResult& result) {
  failed_ =
      failed_ || (result.kind == AtomResult::Kind::answered && needs_attention(result.outcome));
  out_of_reach_ = out_of_reach_ || is_out_of_reach(result);
}

int Pass::exit_code() const {
  return out_of_reach_ ? static_cast<int>(Code::unavailable) : failed_ ? 1 : 0;
}

void Pass::tell(const Atom& atom, const AtomResult& result) {
  note(result);
  // After a request to end, its failures need no message; a job that was stopped through its lock
  // is always reported.
  const Stopped stopped = result.outcome.stopped;
  const bool by_others = stopped == Stopped::taken_over || stopped == Stopped::killed;
  const bool aloud = result.kind == AtomResult::Kind::answered && needs_attention(result.outcome) &&
                     (by_others ? !options_.quiet : result.outcome.termination_signal == 0);
  if (options_.json) {
    put(1, json_of(atom, result, false));
  } else if (aloud || all_told_) {
    complain(atom.name() + ": " + words_of(atom, result, false));
  }
}

int Pass::dry_run() {
  for (const Atom& atom : file_.atoms) {
    AtomResult result;
    User user;
    if (due(atom, turn(), true, result)) {
      const Status found = atom.user.empty() ? Status{} : find_user(atom.user, user);
      result = found.ok()
                   ? AtomResult{AtomResult::Kind::answered,
                                probe(in_fleet(atom, options_) ? *stores_.shared : stores_.files,
                                      settings.request)}
                   : failed_result(found.error());
    }
    note(result);
    if (options_.json) {
      put(1, json_of(atom, result, true));
    } else {
      put(1, escaped(atom.name()) + ": " + escaped(words_of(atom, result, true)) + "\n");
    }
  }
  return out_of_reach_ ? exit_code() : 0;
}

int Pass::show_classes() {
  std::string lines;
  for (const std::string& name : classes_.all(first_.moment.time)) lines += escaped(name) + "\n";
  put(1, lines);
  return 0;
}

int Pass::run() {
  WorkerPool workers(options_.jobs, options_.quiet, secrets_,
                     [this](const Atom& atom, const AtomResult& result) { tell(atom, result); });
  for (const Atom& atom : file_.atoms) {
    if (termination_signal_ == 0) termination_signal_ = workers.make_room();
    if (termination_signal_ != 0) break;
    AtomResult result;
    const std::optional<Job> job = due(atom, turn(), false, result);
    if (!job) {
      tell(atom, result);
    } else if (options_.jobs > 1 || !runs_here(*job)) {
      workers.start(*job);
    } else {
      result = {AtomResult::Kind::answered, run_here(*job, options_.quiet)};
      tell(atom, result);
      termination_signal_ = result.outcome.termination_signal;
      const int came = accept_signals();  // while it was reported
      if (termination_signal_ == 0) termination_signal_ = came;
    }
  }
  if (const int signal = workers.finish_all(); termination_signal_ == 0)
    termination_signal_ = signal;
  if (termination_signal_ != 0) os::end_as({0, termination_signal_, false});
  return exit_code();
}

}  // namespace atmost::pass
