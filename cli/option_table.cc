// The options, one row each: to add one, add its row here, its field to core/request.h, and an
// entry to docs/man/source/options.
#include "core/place.h"
#include "options.h"
#include "values.h"

namespace atmost::cli {
namespace {

using Value = std::string_view;

constexpr unsigned kAdmission =
    kRun | kCheck | kWait | kHold;  // commands that ask whether one more may start
constexpr std::uint64_t kMostDescriptor = 1'048'575;  // fs.nr_open's default, proc(5)

constexpr Choice<OnBusy> kOnBusy[] = {{"fail", OnBusy::fail},
                                      {"skip", OnBusy::skip},
                                      {"replace", OnBusy::replace},
                                      {"join", OnBusy::join},
                                      {"supersede", OnBusy::supersede}};
constexpr Choice<OnTooSoon> kOnTooSoon[] = {
    {"fail", OnTooSoon::fail}, {"skip", OnTooSoon::skip}, {"wait", OnTooSoon::wait}};
constexpr Choice<ElapsedFrom> kElapsedFrom[] = {{"start", ElapsedFrom::start},
                                                {"finish", ElapsedFrom::finish},
                                                {"success", ElapsedFrom::success}};
constexpr Choice<Until> kUntil[] = {
    {"main", Until::main}, {"tree", Until::tree}, {"close", Until::close}};
constexpr Choice<OnLost> kOnLost[] = {{"stop", OnLost::stop}, {"warn", OnLost::warn}};

constexpr Choice<OutputTo> kOutput[] = {
    {"show", OutputTo::show}, {"on-failure", OutputTo::on_failure}, {"tail", OutputTo::tail}};

// For options without a value.
template <auto field>
Status set(Value, Invocation& to) {
  field(to) = true;
  return {};
}

// In the order in which help shows them.
constexpr Option kOptions[] = {
    {'n', "max", "N", kAdmission, "at most N instances at a time (1)",
     [](Value value, Invocation& to) {
       to.max_given = true;
       return read_count(value, 0, kMaxSlots, to.request.locks[0].max);
     }},
    {'k', "take", "K", kAdmission, "take K of the slots, all or none (1)",
     [](Value value, Invocation& to) {
       to.take_given = true;
       return read_count(value, 1, kMaxTake, to.request.locks[0].take);
     }},
    {0, "shared", "", kAdmission, "readers together, while no writer is in",
     set<[](Invocation& to) -> bool& { return to.shared; }>},
    {0, "exclusive", "", kAdmission, "a writer alone",
     set<[](Invocation& to) -> bool& { return to.exclusive; }>},
    {'w', "wait", "DUR", kRun | kWait | kHold, "wait this long for admission; inf: for ever",
     [](Value value, Invocation& to) {
       to.wait_given = true;
       return read_duration(value, to.request.wait);
     }},
    {0, "on-busy", "ACTION", kRun,
     "then fail (75), skip (0), replace the oldest, join or supersede",
     [](Value value, Invocation& to) { return read_choice(value, kOnBusy, to.request.on_busy); }},
    {0, "if-elapsed", "DUR|auto", kRun | kCheck | kHold,
     "too soon if the last admission is more recent",
     [](Value value, Invocation& to) {
       return read_limit(value, to.request.if_elapsed, to.request.if_elapsed_auto, {});
     }},
    {0, "rate", "K/DUR", kRun | kCheck | kHold, "too soon if K were admitted within the last DUR",
     [](Value value, Invocation& to) { return read_rate(value, to.request.rate); }},
    {0, "queue-max", "M", kRun | kHold, "do not wait if M wait already (75)",
     [](Value value, Invocation& to) {
       return read_count(value, 0, kMaxSlots, to.request.queue_max);
     }},
    {0, "on-too-soon", "ACTION", kRun, "then fail (76), skip (0) or wait",
     [](Value value, Invocation& to) {
       return read_choice(value, kOnTooSoon, to.request.on_too_soon);
     }},
    {0, "elapsed-from", "POINT", kRun | kCheck | kHold,
     "measure from start, finish or success (start)",
     [](Value value, Invocation& to) {
       return read_choice(value, kElapsedFrom, to.request.elapsed_from);
     }},
    {0, "succeeded-within", "DUR", kCheck, "whether a run succeeded so recently (0 yes, 1 no)",
     [](Value value, Invocation& to) {
       to.request.elapsed_from = ElapsedFrom::success;
       return read_bound(value, to.succeeded_within);
     }},
    {0, "nagios", "", kCheck, "answer in words and codes of monitoring plug-ins",
     set<[](Invocation& to) -> bool& { return to.nagios; }>},
    {0, "slack", "DUR", kRun | kCheck | kHold,
     "count --if-elapsed as over so much early, a tenth at most (0)",
     [](Value value, Invocation& to) { return read_duration(value, to.slack); }},
    {0, "expire-after", "DUR|auto", kRun | kHold,
     "stop blocking holders older than this; hold: release after it",
     [](Value value, Invocation& to) {
       return read_limit(value, to.request.expire_after, to.request.expire_auto,
                         Duration::forever());
     }},
    {0, "expire-idle", "DUR|auto", kRun | kHold,
     "stop a holder that was idle for so long during --wait",
     [](Value value, Invocation& to) {
       return read_limit(value, to.request.expire_idle, to.request.expire_idle_auto, {});
     },
     "processes of other machines cannot be watched: use --expire-after"},
    {0, "max-runtime", "DUR|auto", kRun, "stop the command after this long (124)",
     [](Value value, Invocation& to) {
       return read_limit(value, to.request.max_runtime, to.request.max_runtime_auto, {});
     }},
    {0, "max-idle", "DUR|auto", kRun, "stop the command after so long a silence (124)",
     [](Value value, Invocation& to) {
       return read_limit(value, to.request.max_idle, to.request.max_idle_auto, {});
     }},
    {0, "die-with", "PID|parent", kRun, "stop the command when that process ends (124)",
     [](Value value, Invocation& to) { return read_caller(value, to.die_with); }},
    {0, "min-runtime", "DUR|auto", kRun, "a successful run that was shorter has failed (1)",
     [](Value value, Invocation& to) {
       return read_limit(value, to.request.min_runtime, to.request.min_runtime_auto, {});
     }},
    {0, "auto-min", "DUR", kRun | kHold | kTune, "the shortest limit that auto may choose (1s)",
     [](Value value, Invocation& to) { return read_bound(value, to.request.learned.low); }},
    {0, "auto-max", "DUR", kRun | kCheck | kHold | kTune,
     "the longest limit that auto may choose (inf)",
     [](Value value, Invocation& to) { return read_bound(value, to.request.learned.high); }},
    {0, "auto-risk", "N", kRun | kHold | kTune, "auto may stop about N of 1,000 good runs (5)",
     [](Value value, Invocation& to) { return read_risk(value, to.request.learned.risk_ppm); }},
    {0, "no-learn", "", kRun, "auto does not learn from this run",
     set<[](Invocation& to) -> bool& { return to.request.no_learn; }>, "", "no-memory"},
    {0, "kill-grace", "DUR", kRun | kKill, "pause after each of INT, TERM, KILL (2s)",
     [](Value value, Invocation& to) { return read_duration(value, to.request.kill_grace); }},
    {0, "also", "[N@]LOCK", kRun | kHold, "also take that lock, all or none; repeatable",
     [](Value value, Invocation& to) { return read_also(value, to); }},
    {0, "now", "TIME", kRun | kCheck | kHold | kRelease,
     "decide as if it were TIME (seconds since 1970)",
     [](Value value, Invocation& to) { return read_now(value, to.request); }},
    {0, "splay", "DUR", kRun, "first wait a part of DUR, fixed by host and lock name",
     [](Value value, Invocation& to) { return read_duration(value, to.request.splay); }},
    {0, "exec", "", kRun, "become the command instead of staying beside it",
     set<[](Invocation& to) -> bool& { return to.request.exec; }>,
     "nobody stays to renew the lease in a fleet: leave it out"},
    {0, "until", "END", kRun | kHold, "hold until main, tree or close (main; with --exec tree)",
     [](Value value, Invocation& to) {
       to.until_given = true;
       return read_choice(value, kUntil, to.request.until);
     }},
    {0, "close", "", kRun, "do not pass the lock's descriptor on",
     set<[](Invocation& to) -> bool& { return to.request.close_fd; }>,
     "a fleet's lock has no descriptor: leave it out"},
    {0, "id", "TEXT", kRun | kWait | kHold, "a note that list shows, up to 63 bytes",
     [](Value value, Invocation& to) { return read_id(value, to.request.id); }},
    {0, "ttl", "DUR", kRun, "fleet: how long a lease lasts (15s)",
     [](Value value, Invocation& to) {
       to.ttl_given = true;
       return read_duration(value, to.request.ttl);
     }},
    {0, "on-lost", "ACTION", kRun, "when the lock is lost, stop or warn (fleet: stop, file: warn)",
     [](Value value, Invocation& to) {
       to.on_lost_given = true;
       return read_choice(value, kOnLost, to.request.on_lost);
     }},
    {0, "mode", "OCTAL", kRun | kWait | kHold,
     "mode of a lock file that this call creates (600; see atmost(1))",
     [](Value value, Invocation& to) { return read_mode(value, to.request); },
     "a fleet's lock is no file that could have one: leave it out"},
    {0, "trust-fs", "", kAdmission | kDrain | kResume | kKill,
     "this filesystem is known to keep locks",
     set<[](Invocation& to) -> bool& { return to.request.trust_fs; }>,
     "a fleet's lock lies on no filesystem of this machine: leave it out"},
    {0, "with-flock", "", kRun | kHold, "also hold flock(2) on the file: excludes flock(1)",
     set<[](Invocation& to) -> bool& { return to.request.with_flock; }>,
     "a fleet's lock is no file that flock(1) could lock: leave it out"},
    {0, "env", "NAME=WHAT", kRun, "set NAME to slot, slots, indices, token or lock",
     [](Value value, Invocation& to) { return read_variable(value, to.request); }},
    {0, "notify", "COMMAND", kRun,
     "run it, by sh, when the run has failed; event on standard input",
     [](Value value, Invocation& to) { return read_command(value, to.request.notify); }},
    {0, "notify-on", "LIST", kRun,
     "of failure, killed, too-fast, recovered, lost, every; commas between",
     [](Value value, Invocation& to) {
       to.notify_on_given = true;
       return read_occasions(value, to.request.notify_on);
     }},
    {0, "ping", "URL|@FILE", kRun, "request this URL at start and end, as healthchecks.io has it",
     [](Value value, Invocation& to) {
       to.ping_argument = value;
       return read_ping(value, to);
     }},
    {0, "ping-output", "", kRun, "send the end of the kept output with it",
     set<[](Invocation& to) -> bool& { return to.request.ping_output; }>},
    {0, "output", "WHEN", kRun, "show the command's output at once, on-failure, or only its tail",
     [](Value value, Invocation& to) { return read_choice(value, kOutput, to.request.output); }},
    {0, "output-max", "SIZE", kRun, "keep this much of it for on-failure (16M)",
     [](Value value, Invocation& to) {
       to.output_max_given = true;
       return read_size(value, to.request.output_max);
     }},
    {0, "alert-after", "COUNT", kRun, "report only every COUNTth refusal, or failure, in a row",
     [](Value value, Invocation& to) {
       return read_count(value, 1, UINT32_MAX, to.request.alert_after);
     }},
    {0, "busy-exit-code", "N", kAdmission, "exit with N instead of 75 when busy",
     [](Value value, Invocation& to) { return read_count(value, 0, 255, to.busy_exit_code); }},
    {0, "status-fd", "FD", kAdmission, "write the outcome to FD, as one line of JSON",
     [](Value value, Invocation& to) {
       return read_count(value, 0, kMostDescriptor, to.status_fd);
     }},
    {0, "log", "FILE", kRun | kHold, "log to FILE",
     [](Value value, Invocation& to) { return read_log(value, to.request.log); }},
    {0, "no-history", "", kRun | kHold, "do not log",
     set<[](Invocation& to) -> bool& { return to.request.no_history; }>},
    {0, "log-args", "", kRun, "log the whole command line",
     set<[](Invocation& to) -> bool& { return to.request.log_args; }>},
    {0, "watch", "", kList, "show the list again every second",
     set<[](Invocation& to) -> bool& { return to.watch; }>},
    {0, "slot", "S", kDrain | kResume | kKill, "only slot S",
     [](Value value, Invocation& to) { return read_count(value, 1, kMaxSlots, to.slot); }},
    {0, "overdue", "", kKill, "only holders older than the --expire-after they were started with",
     set<[](Invocation& to) -> bool& { return to.overdue; }>},
    {0, "token", "T", kKill, "only the holder with that token, as list --json has it",
     [](Value value, Invocation& to) { return read_count(value, 1, UINT64_MAX, to.token); }},
    {0, "dry-run", "", kKill, "only name the holders",
     set<[](Invocation& to) -> bool& { return to.dry_run; }>},
    {0, "for-pid", "PID", kHold | kRelease, "hold for that process (release: the caller)",
     [](Value value, Invocation& to) { return read_count(value, 1, INT32_MAX, to.for_pid); }},
    {0, "eta", "DUR", kBeat, "it will be silent for so long, 24d at most",
     [](Value value, Invocation& to) { return read_eta(value, to.eta); }},
    {0, "keeper-to", "FILE", kHold, "append the keeper's address to FILE, for lock_unlock",
     [](Value value, Invocation& to) {
       return read_name(value, "the file has no name", to.keeper_to);
     }},
    {0, "store", "URL", kEvery,
     "file:, symlink:, shared:DIR, etcd://..., postgres:... ($ATMOST_STORE)",
     [](Value value, Invocation& to) {
       to.store = value;
       return check_store(value);
     }},
    {0, "dir", "DIR", kEvery, "directory of named locks ($ATMOST_DIR, or see atmost(1))",
     [](Value value, Invocation& to) {
       return read_name(value, "the directory has no name", to.dir);
     }},
    {0, "host", "NAME", kEvery, "this machine's name in paths and atoms",
     [](Value value, Invocation& to) { return read_host(value, to.host); }},
    {0, "json", "", kEvery, "one JSON object a line",
     set<[](Invocation& to) -> bool& { return to.json; }>},
    {'q', "quiet", "", kEvery, "say nothing about refusals",
     set<[](Invocation& to) -> bool& { return to.quiet; }>},
    {'v', "verbose", "", kEvery, "say what happens",
     set<[](Invocation& to) -> bool& { return to.verbose; }>},
    {'h', "help", "", kEvery, "show this", set<[](Invocation& to) -> bool& { return to.help; }>},
    {'V', "version", "", kEvery, "show the version",
     set<[](Invocation& to) -> bool& { return to.version; }>},
};

static_assert(sizeof kOptions / sizeof kOptions[0] <= kMostOptions);

}  // namespace

std::span<const Option> options() { return kOptions; }

}  // namespace atmost::cli
