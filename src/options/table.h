// The options, one row each: to add one, add its row here, its field to core/request.h, and an
// entry to man/options. Rules about several options are in rules.cc.
#ifndef ATMOST_OPTIONS_TABLE_H
#define ATMOST_OPTIONS_TABLE_H

#include "core/parse.h"
#include "option.h"
#include "values.h"

namespace atmost {
namespace options {

using Value = std::string_view;

inline constexpr unsigned kAdmission =
    kRun | kCheck | kWait | kHold;  // commands that ask whether one more may start
inline constexpr std::uint64_t kMostDescriptor = 1'048'575;  // fs.nr_open's default, proc(5)

// A gigabyte of memory for supervisors, at the very most.
inline constexpr std::uint64_t kMostJobs = 1024;

template <class T>
constexpr T& part(Settings& to, T Settings::*field) {
  return to.*field;
}
template <class T>
constexpr T& part(Settings& to, T Request::*field) {
  return to.request.*field;
}

// The readers of most fields.
template <auto read, auto field>
Status by(Value value, Settings& to) {
  return read(value, part(to, field));
}
template <auto field, std::uint64_t low, std::uint64_t high>
Status count(Value value, Settings& to) {
  return read_count(value, low, high, part(to, field));
}
template <auto& choices, auto field>
Status choice(Value value, Settings& to) {
  return read_choice(value, choices, part(to, field));
}
// DUR or auto: then the limit is what it is without the option.
template <auto field, auto automatic>
Status limit(Value value, Settings& to) {
  return read_limit(value, part(to, field), part(to, automatic), {});
}

// In the order in which help shows them, group by group.
// clang-format off: it would shift the rows
inline constexpr Option kOptions[] = {
    {'n', "max", "N|cpus", kAdmission | kAtom | kLibrary | kOften, Group::count,
     "at most N at a time, or cpus/2, 50%, inf (1)",
     [](Value value, Settings& to) {
       to.request.locks[0].max_given = true;
       return take(parse_max(value, to.processors), to.request.locks[0].max);
     }},
    {'k', "take", "K", kAdmission | kLibrary | kOften, Group::count,
     "take K of the slots, all or none (1)",
     [](Value value, Settings& to) {
       return read_count(value, 1, kMaxTake, to.request.locks[0].take);
     }},
    {0, "shared", "", kAdmission | kLibrary, Group::count,
     "readers together, while no writer is in", by<read_switch, &Settings::shared>},
    {0, "exclusive", "", kAdmission | kLibrary, Group::count,
     "a writer alone", by<read_switch, &Settings::exclusive>},
    {0, "also", "[N@]LOCK", kRun | kHold | kLibrary, Group::count,
     "also take that lock, all or none; repeatable", read_also},
    {0, "queue-max", "M", kRun | kHold | kLibrary, Group::count,
     "do not wait if M wait already (75)", count<&Request::queue_max, 0, kMaxSlots>},
    {'w', "wait", "DUR", kRun | kWait | kHold | kLibrary | kOften, Group::waiting,
     "wait this long for admission; inf: for ever", by<read_duration, &Request::wait>},
    {0, "on-busy", "ACTION", kRun | kLibrary | kOften, Group::waiting,
     "fail (75), skip (0), replace, join or supersede", by<read_on_busy, &Request::on_busy>},
    {0, "keep-place", "DUR", kRun, Group::waiting,
     "with --id: the place in the queue outlives the wait this long",
     by<read_kept, &Request::keep_place_ms>},
    {0, "progress", "FORM", kRun, Group::waiting,
     "show a waiter's place auto or in lines ($ATMOST_PROGRESS)",
     by<read_progress, &Settings::progress>},
    {0, "id", "TEXT", kRun | kWait | kHold | kLibrary, Group::waiting,
     "a note that list shows, up to 63 bytes",
     [](Value value, Settings& to) {
       return read_id(value, !to.keeper_to.empty(), to.request.id);
     }},
    {0, "if-elapsed", "DUR|auto", kRun | kCheck | kHold | kAtom | kLibrary | kOften, Group::pace,
     "too soon if the last admission is more recent",
     limit<&Request::if_elapsed, &Request::if_elapsed_auto>},
    {0, "rate", "K/DUR", kRun | kCheck | kHold | kLimit | kAtom | kLibrary | kOften,
     Group::pace, "too soon if K were admitted within the last DUR", read_rate},
    {0, "on-too-soon", "ACTION", kRun | kLibrary | kOften, Group::pace,
     "then fail (76), skip (0) or wait", choice<kOnTooSoon, &Request::on_too_soon>},
    {0, "elapsed-from", "POINT", kRun | kCheck | kHold | kLibrary, Group::pace,
     "measure from start, finish or success (start)", choice<kElapsedFrom, &Request::elapsed_from>},
    {0, "slack", "DUR", kRun | kCheck | kHold, Group::pace,
     "--if-elapsed is over this much early, a tenth at most (0)",
     by<read_duration, &Settings::slack>},
    {0, "splay", "DUR", kRun, Group::pace,
     "first wait a part of DUR, fixed by host and lock name", by<read_duration, &Request::splay>},
    {0, "expire-after", "DUR|auto", kRun | kHold | kAtom | kLibrary | kOften, Group::stopping,
     "stop holders in the way that are older than this",
     [](Value value, Settings& to) {
       return read_limit(value, to.request.expire_after, to.request.expire_auto,
                         Duration::forever());
     }},
    {0, "expire-idle", "DUR|auto", kRun | kHold, Group::stopping,
     "stop a holder that was idle this long during --wait",
     limit<&Request::expire_idle, &Request::expire_idle_auto>},
    {0, "max-runtime", "DUR|auto", kRun | kAtom | kLibrary | kOften, Group::stopping,
     "stop the command after this long (124)",
     limit<&Request::max_runtime, &Request::max_runtime_auto>},
    {0, "max-idle", "DUR|auto", kRun | kAtom, Group::stopping,
     "stop the command when it was silent this long (124)",
     limit<&Request::max_idle, &Request::max_idle_auto>},
    {0, "min-runtime", "DUR|auto", kRun | kAtom, Group::stopping,
     "a successful run below this counts as failed (1)",
     limit<&Request::min_runtime, &Request::min_runtime_auto>},
    {0, "die-with", "PID|parent", kRun, Group::stopping,
     "stop the command when that process ends (124)", by<read_caller, &Settings::die_with>},
    {0, "kill-grace", "DUR", kRun | kKill | kAtom | kLibrary, Group::stopping,
     "pause after each of INT, TERM, KILL (2s)", by<read_duration, &Request::kill_grace>},
    {0, "on-lost", "ACTION", kRun, Group::stopping,
     "when the lock is lost, stop or warn (fleet: stop, file: warn)",
     choice<kOnLost, &Request::on_lost>},
    {0, "slot", "S", kDrain | kResume | kKill, Group::stopping,
     "only slot S", count<&Settings::slot, 1, kMaxSlots>},
    {0, "token", "T", kKill, Group::stopping,
     "only the holder with that token, as list --json has it",
     count<&Settings::token, 1, UINT64_MAX>},
    {0, "overdue", "", kKill, Group::stopping,
     "only holders older than the --expire-after they were started with",
     by<read_switch, &Settings::overdue>},
    {0, "may-be-killed", "ACTION", kLibrary, Group::stopping,
     "yes or no: a taker may stop the program when this lock is overdue",
     choice<kMayBeKilled, &Request::eviction>},
    {0, "auto-min", "DUR", kRun | kHold | kTune, Group::learning,
     "the shortest limit that auto may choose (1s)",
     [](Value value, Settings& to) { return read_bound(value, to.request.learned.low); }},
    {0, "auto-max", "DUR", kRun | kCheck | kHold | kTune, Group::learning,
     "the longest limit that auto may choose (1w)",
     [](Value value, Settings& to) { return read_bound(value, to.request.learned.high); }},
    {0, "auto-risk", "N", kRun | kHold | kTune, Group::learning,
     "auto may stop about N of 1,000 good runs (5)",
     [](Value value, Settings& to) { return read_risk(value, to.request.learned.risk_ppm); }},
    {0, "no-learn", "", kRun | kLibrary, Group::learning,
     "auto does not learn from this run", by<read_switch, &Request::no_learn>},
    {0, "env", "NAME=WHAT", kRun | kOften, Group::command,
     "set NAME to slot, slot+BASE, slots, indices ...", read_variable},
    {0, "exec", "", kRun | kOften, Group::command,
     "become the command instead of staying beside it", by<read_switch, &Request::exec>},
    {0, "until", "END", kRun | kHold, Group::command,
     "hold until main, tree or close (main; with --exec tree)", choice<kUntil, &Request::until>},
    {0, "close", "", kRun, Group::command,
     "do not pass the lock's descriptor on", by<read_switch, &Request::close_fd>},
    {0, "for-pid", "PID", kHold | kRelease, Group::command,
     "hold for that process (release: the caller)", count<&Settings::for_pid, 1, INT32_MAX>},
    {0, "eta", "DUR", kBeat, Group::command,
     "it will be silent this long, 24d at most", by<read_eta, &Settings::eta>},
    {'j', "jobs", "N", kPass, Group::command,
     "run up to N atoms side by side, each line under its atom's name (1)",
     count<&Settings::jobs, 1, kMostJobs>},
    {0, "output", "WHEN", kRun | kAtom | kOften, Group::output,
     "show output at once, only on-failure, or its tail", choice<kOutput, &Request::output>},
    {0, "output-max", "SIZE", kRun | kAtom, Group::output,
     "keep this much of it for on-failure (16M)", by<read_size, &Request::output_max>},
    {0, "notify", "COMMAND", kRun | kAtom, Group::output,
     "run it, by sh, when the run has failed; event on standard input",
     by<read_command, &Request::notify>},
    {0, "notify-on", "LIST", kRun | kAtom, Group::output,
     "failure, killed, too-fast, recovered, lost, spam, every; with commas",
     by<read_occasions, &Request::notify_on>},
    {0, "ping", "URL|@FILE", kRun | kAtom | kOften, Group::output,
     "request this URL when it starts and when it ends",
     [](Value value, Settings& to) {
       to.ping = value;
       return read_ping(value, to);
     }},
    {0, "ping-output", "", kRun | kAtom, Group::output,
     "send the end of the kept output with it", by<read_switch, &Request::ping_output>},
    {0, "alert-after", "COUNT", kRun | kAtom, Group::output,
     "report only every COUNTth refusal, or failure, in a row",
     count<&Request::alert_after, 0, UINT32_MAX>},
    {0, "store", "URL", kEvery | kLibrary, Group::place,
     "file:, symlink:, shared:DIR, etcd://..., postgres:... ($ATMOST_STORE)",
     [](Value value, Settings& to) {
       to.store = value;
       return check_store(value);
     }},
    {0, "dir", "DIR", kEvery | kLibrary, Group::place,
     "directory of named locks ($ATMOST_DIR, or see atmost(1))",
     [](Value value, Settings& to) {
       return read_name(value, "the directory has no name", to.dir);
     }},
    {0, "ttl", "DUR", kRun | kAtom, Group::place,
     "fleet: how long a lease lasts (15s)", by<read_duration, &Request::ttl>},
    {0, "mode", "OCTAL", kRun | kWait | kHold | kLimit | kLibrary, Group::place,
     "mode of a lock file that this call creates (600; see atmost(1))", read_mode},
    {0, "with-flock", "", kRun | kHold, Group::place,
     "also hold flock(2) on the file: excludes flock(1)", by<read_switch, &Request::with_flock>},
    {0, "names", "A,B,C|@FILE", kLimit, Group::count,
     "names of the slots, for --env NAME=name; N is their number",
     [](Value value, Settings& to) {
       to.names = value;
       return Status();
     }},
    {0, "clear", "", kLimit, Group::count,
     "nothing of the old limit stays", by<read_switch, &Settings::clear>},
    {0, "create", "", kDrain, Group::place,
     "also a lock that nobody has used yet", by<read_switch, &Settings::create>},
    {0, "succeeded-within", "DUR", kCheck, Group::answers,
     "0 if a run succeeded so recently, else 1",
     [](Value value, Settings& to) {
       to.request.elapsed_from = ElapsedFrom::success;
       return read_bound(value, to.succeeded_within);
     }},
    {0, "nagios", "", kCheck, Group::answers,
     "answer in words and codes of monitoring plug-ins", by<read_switch, &Settings::nagios>},
    {0, "watch", "", kList, Group::answers,
     "show the list again every second", by<read_switch, &Settings::watch>},
    {0, "dry-run", "", kKill | kPass, Group::answers,
     "only say what would happen", by<read_switch, &Settings::dry_run>},
    {0, "classes", "", kPass, Group::answers,
     "show the classes of this host now, with those of FILE", by<read_switch, &Settings::classes>},
    {0, "busy-exit-code", "N", kAdmission, Group::answers,
     "exit with N instead of 75 when busy", count<&Settings::busy_exit_code, 0, 255>},
    {0, "status-fd", "FD", kAdmission, Group::answers,
     "write the outcome to FD, as one line of JSON",
     count<&Settings::status_fd, 0, kMostDescriptor>},
    {0, "json", "", kEvery, Group::answers,
     "one JSON object a line", by<read_switch, &Settings::json>},
    {'q', "quiet", "", kEvery | kOften, Group::answers,
     "say nothing about refusals", by<read_switch, &Settings::quiet>},
    {'v', "verbose", "", kEvery, Group::answers,
     "say what happens", by<read_switch, &Settings::verbose>},
    {'h', "help", "", kEvery, Group::answers, "show this", by<read_switch, &Settings::help>},
    {0, "help-all", "", kRun, Group::answers,
     "show every option, in groups", by<read_switch, &Settings::help_all>},
    {'V', "version", "", kEvery, Group::answers,
     "show the version", by<read_switch, &Settings::version>},
    {0, "now", "TIME", kRun | kCheck | kHold | kRelease | kPass | kLibrary, Group::expert,
     "decide as if it were TIME (seconds since 1970)", read_now},
    {0, "host", "NAME", kEvery | kLibrary, Group::expert,
     "this machine's name in paths and atoms", by<read_host, &Settings::host>},
    {0, "trust-fs", "", kAdmission | kDrain | kResume | kKill | kLimit | kPass | kLibrary,
     Group::expert,
     "this filesystem is known to keep locks", by<read_switch, &Request::trust_fs>},
    {0, "log", "FILE", kRun | kHold | kKill | kLimit | kLibrary, Group::expert,
     "log to FILE", by<read_log, &Request::log>},
    {0, "no-history", "", kRun | kHold | kKill | kLimit | kLibrary, Group::expert,
     "do not log", by<read_switch, &Request::no_history>},
    {0, "log-args", "", kRun, Group::expert,
     "log the whole command line", by<read_switch, &Request::log_args>},
    {0, "max-passes", "N", kPass, Group::expert,
     "at most N passes over FILE at a time; one more exits 75",
     count<&Settings::max_passes, 1, kMaxSlots>},
    {0, "clock", "pass|atom", kPass, Group::expert,
     "one moment for all atoms, or the clock for each (pass)",
     choice<kClock, &Settings::clock_per_atom>},
    {0, "setup-group", "GROUP", kDoctor, Group::expert,
     "first make DIR a directory whose locks GROUP shares",
     [](Value value, Settings& to) {
       return read_name(value, "the group has no name", to.setup_group);
     }},
    {0, "keeper-to", "FILE", kHold, Group::expert,
     "append the keeper's address to FILE, for lock_unlock",
     [](Value value, Settings& to) {
       return read_name(value, "the file has no name", to.keeper_to);
     }},
};
// clang-format on

static_assert(sizeof kOptions / sizeof kOptions[0] <= kMostOptions);

// The place of an option in the table; a name that is not there does not compile.
struct Named {
  consteval Named(const char* name) : Named(std::string_view(name)) {}
  consteval Named(std::string_view name) : at(0) {
    while (kOptions[at].name != name) ++at;
  }
  std::size_t at;
};

}  // namespace options

// True if the option was set.
inline bool given(const Settings& settings, options::Named option) {
  return settings.given[option.at] != Given::no;
}

}  // namespace atmost

#endif
