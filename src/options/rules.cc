// The options that do not fit together, a rule each, for every taker: a taker without an option
// cannot break its rules. A sentence is in the words of the command line (put_in_words_of).
#include "combine.h"
#include "core/lease_time.h"
#include "core/words.h"
#include "table.h"

namespace atmost {
namespace {

using options::Named;

// The questions of the rules.
struct Asked {
  const Settings& all;
  const Request& request;
  const StoreTraits& store;
  const Scheme& scheme;
  unsigned taker;

  bool has(Named option) const { return given(all, option); }
  // Set for this one caller: the [defaults] of a pass file may be useless for some atoms.
  bool wants(Named option) const { return all.given[option.at] == Given::here; }
};

struct Rule {
  std::string_view sentence;
  bool (*broken)(const Asked& a);
  void (*more)(const Asked& a, Error& error) = nullptr;  // ends the sentence
};

void append_amounts(const Asked& a, Error& error) {
  const LockSpec& lock = a.request.locks[0];
  error.message.append_unsigned(lock.take).append(" slots of at most ").append_unsigned(lock.max);
  error.message.append(a.has("max") ? ": use at most --max" : ": use --max N with an N as large");
}

void append_shortest_ttl(const Asked& a, Error& error) {
  error.message.append(duration_words(a.request.ttl))
      .append(
          " is too short to renew the lease (1.5s), and else to stop the command before it ends "
          "(twice --kill-grace and 1s): use at least ")
      .append(duration_seconds(shortest_ttl(a.request.kill_grace)))
      .append("s, or a shorter --kill-grace");
}

bool too_many(const Asked& a) {
  const LockSpec& lock = a.request.locks[0];
  // Without -n, the limit of record may allow so many.
  if ((a.taker & (kRun | kHold)) != 0 && a.store.inheritable && !a.has("max")) return false;
  return lock.take > lock.max && (a.has("take") || lock.max > 0) && !a.all.shared;
}

bool replaced(const Asked& a) { return a.request.exec && a.taker != kHold; }

bool closes(const Asked& a) { return a.request.until == Until::close; }

// True if the caller renews a lease. A pass file is checked before its store is known.
bool renews(const Asked& a) {
  return (a.store.leased && (a.taker & (kRun | kAtom | kLibrary)) != 0) ||
         (a.taker == kAtom && a.has("ttl"));
}

bool asks_for_success(const Asked& a) { return !a.all.succeeded_within.is_zero(); }

bool waits(const Asked& a) {
  const Request& request = a.request;
  return a.has("wait") || request.on_busy == OnBusy::join || request.on_busy == OnBusy::supersede ||
         (request.rate.count > 0 && request.on_too_soon == OnTooSoon::wait);
}

bool keeps_place(const Asked& a) { return a.request.keep_place_ms > 0; }

constexpr std::string_view kWithoutLease =
    "--ttl: only a lease in a fleet has one: use it with --store, or a lock on NFS";

// The first one that is broken is reported.
constexpr Rule kRules[] = {
    {"--exclusive: cannot be --shared as well",
     [](const Asked& a) { return a.all.shared && a.all.exclusive; }},
    {"--take: readers with --shared take no slots of their own",
     [](const Asked& a) { return a.has("take") && a.all.shared; }},
    {"--exclusive: a writer is alone: leave --max and --take out",
     [](const Asked& a) { return a.all.exclusive && (a.has("take") || a.has("max")); }},
    {"--take: only answers with --max: use -n N as well",
     [](const Asked& a) { return a.taker == kCheck && a.has("take") && !a.has("max"); }},
    {"--take: ", too_many, append_amounts},
    {"--splay: no part of inf can be waited for: use a duration, such as 10m",
     [](const Asked& a) { return a.request.splay.is_forever(); }},
    {"--for-pid: hold needs it: use --for-pid $$ in a script",
     [](const Asked& a) { return a.taker == kHold && a.all.for_pid == 0; }},
    {"--expire-after: hold releases the lock after this long: use more than 0",
     [](const Asked& a) { return a.taker == kHold && a.request.expire_after.is_zero(); }},
    {"--until: a held process has no descriptor: use main or tree",
     [](const Asked& a) { return a.taker == kHold && closes(a); }},
    {"--until: close is about a descriptor of a lock file: use main or tree with --store",
     [](const Asked& a) { return !a.request.exec && closes(a) && a.store.leased; }},
    {"--until: close is for commands that replace atmost: use --exec as well",
     [](const Asked& a) { return !a.request.exec && closes(a); }},
    {"--max-runtime: nobody stays to stop a command run with --exec: use timeout(1), or leave "
     "--exec out",
     [](const Asked& a) {
       return replaced(a) && (!a.request.max_runtime.is_zero() || a.request.max_runtime_auto);
     }},
    {"--max-idle: nobody stays to watch a command run with --exec: leave one out",
     [](const Asked& a) { return replaced(a) && watches_silence(a.request); }},
    {"--die-with: nobody stays to stop a command run with --exec: leave one out",
     [](const Asked& a) { return replaced(a) && a.all.die_with.given(); }},
    {"--min-runtime: nobody stays to see a command run with --exec end: leave one out",
     [](const Asked& a) {
       return replaced(a) && (!a.request.min_runtime.is_zero() || a.request.min_runtime_auto);
     }},
    {"--close: with --exec the command holds the lock by the descriptor: leave one of them out",
     [](const Asked& a) { return replaced(a) && a.request.close_fd; }},
    {"--until: nobody stays to see the main process of --exec end: use tree or close, or leave "
     "--exec out",
     [](const Asked& a) {
       return replaced(a) && a.has("until") && a.request.until == Until::main;
     }},
    {kWithoutLease,
     [](const Asked& a) { return !a.store.leased && a.has("ttl") && !a.all.store.empty(); }},
    {"--on-lost: a lock that is a symbolic link is not watched: use a lock file, or --store of a "
     "fleet",
     [](const Asked& a) { return a.has("on-lost") && !a.store.leased && !a.store.inheritable; }},
    {"--on-lost: nobody stays to look after the lock file of --exec: leave one of them out",
     [](const Asked& a) { return a.has("on-lost") && !a.store.leased && a.request.exec; }},
    {"--store: hold and release keep locks of this machine: use run, which renews its lease",
     [](const Asked& a) { return a.store.leased && (a.taker & (kHold | kRelease)) != 0; }},
    {"--mode: a fleet's lock is not a file that could have one: leave it out",
     [](const Asked& a) { return a.has("mode") && a.store.leased && !a.scheme.directory; }},
    {"--exec: nobody stays to renew the lease in a fleet: leave it out",
     [](const Asked& a) { return a.request.exec && a.store.leased; }},
    {"--close: a fleet's lock has no descriptor: leave it out",
     [](const Asked& a) { return a.request.close_fd && a.store.leased; }},
    {"--trust-fs: a fleet's lock lies on no filesystem of this machine: leave it out",
     [](const Asked& a) { return a.request.trust_fs && a.store.leased; }},
    {"--with-flock: flock(1) can lock a lock file alone: leave it out",
     [](const Asked& a) { return a.request.with_flock && !a.store.inheritable; }},
    {"--expire-idle: watches the holders of lock files: use --expire-after",
     [](const Asked& a) { return watches_holders(a.request) && !a.store.inheritable; }},
    {"--store: a limit of record lies beside a lock file: leave --store out",
     [](const Asked& a) { return a.taker == kLimit && !a.store.inheritable; }},
    {"--env: name and names are those of a limit of record, which this store does not keep: use "
     "slot",
     [](const Asked& a) { return !a.store.inheritable && wants_names(a.request); }},
    {"--rate: too many: a limit of record has at most 8",
     [](const Asked& a) { return a.taker == kLimit && a.all.rate_count > kMostRates; }},
    {"--keep-place: belongs to an id, by which its owner is known again: give --id as well",
     [](const Asked& a) { return keeps_place(a) && a.request.id.empty(); }},
    {"--keep-place: this caller does not wait: give it with --wait",
     [](const Asked& a) { return keeps_place(a) && !waits(a); }},
    {"--keep-place: this store keeps no places: leave it out",
     [](const Asked& a) { return keeps_place(a) && !a.store.inheritable; }},
    {"--rate: this store does not record so many admissions: use --if-elapsed",
     [](const Asked& a) { return a.request.rate.count > 0 && !a.store.rates; }},
    {"--queue-max: this store does not count waiters: leave it out",
     [](const Asked& a) { return a.request.queue_max != kAnyQueue && !a.store.queue_limits; }},
    {"--kill-grace: a lease ends, and its command has to be stopped before that: use a duration",
     [](const Asked& a) { return renews(a) && shortest_ttl(a.request.kill_grace).is_forever(); }},
    {"--ttl: a lease that never ends would keep the slots of a host that died: use a duration",
     [](const Asked& a) { return renews(a) && a.request.ttl.is_forever(); }},
    {"--ttl: so long a lease would keep the slots of a host that died: use at most 7d",
     [](const Asked& a) { return renews(a) && a.request.ttl > kLongestTtl; }},
    {"--kill-grace: the command has to be stopped before its lease of at most 7d ends: use less",
     [](const Asked& a) { return renews(a) && shortest_ttl(a.request.kill_grace) > kLongestTtl; }},
    {"--ttl: ",
     [](const Asked& a) {
       return renews(a) && a.has("ttl") && a.request.ttl < shortest_ttl(a.request.kill_grace);
     },
     append_shortest_ttl},
    {"--with-flock: a flock(2) stays until all who inherited the file have closed it: leave it or "
     "--until=close out",
     [](const Asked& a) { return a.request.with_flock && closes(a); }},
    {"--min-runtime: no run is that long: use a duration",
     [](const Asked& a) { return a.request.min_runtime.is_forever(); }},
    {"--min-runtime: no run could be that long: use less than --max-runtime",
     [](const Asked& a) {
       return !a.request.max_runtime.is_zero() && a.request.min_runtime >= a.request.max_runtime;
     }},
    {"--output-max: limits the output that --output=on-failure keeps: use both, or leave it out",
     [](const Asked& a) {
       return a.wants("output-max") && a.request.output != OutputTo::on_failure;
     }},
    {"--notify-on: says when the command of --notify is run: use both",
     [](const Asked& a) { return a.wants("notify-on") && a.request.notify.empty(); }},
    {"--notify: nobody stays to see a command run with --exec end: leave one out",
     [](const Asked& a) { return a.request.exec && !a.request.notify.empty(); }},
    {"--ping-output: only kept output is sent: use --output=on-failure or --output=tail",
     [](const Asked& a) { return a.wants("ping-output") && a.request.output == OutputTo::show; }},
    {"--ping: nobody stays to see a command run with --exec end: leave one out",
     [](const Asked& a) { return a.request.exec && !a.request.ping.empty(); }},
    {"--output: nobody stays to show the output of --exec: leave one of them out",
     [](const Asked& a) { return a.request.exec && a.request.output != OutputTo::show; }},
    {"--auto-min: is longer than --auto-max",
     [](const Asked& a) { return a.request.learned.low > a.request.learned.high; }},
    {"auto: a fleet's store remembers only how long runs took, for --max-runtime, --max-idle and "
     "--min-runtime: give a duration",
     [](const Asked& a) { return a.store.leased && learns_beginnings(a.request); }},
    {"auto: a symbolic link remembers no runs to learn from: give durations",
     [](const Asked& a) { return wants_stats(a.request) && !a.store.remembers_runs; }},
    {"--expire-idle: only a caller that waits watches the holder: use --wait as well",
     [](const Asked& a) {
       return watches_holders(a.request) && a.request.wait.is_zero() &&
              a.request.on_busy != OnBusy::join;
     }},
    {"--nagios: answers --succeeded-within DUR: add it",
     [](const Asked& a) { return a.all.nagios && !asks_for_success(a); }},
    {"--succeeded-within: answers alone: leave the other conditions out",
     [](const Asked& a) {
       return asks_for_success(a) &&
              (a.has("max") || a.all.shared || a.all.exclusive || a.request.if_elapsed_auto ||
               !a.request.if_elapsed.is_zero() || a.request.elapsed_from != ElapsedFrom::success ||
               a.request.rate.count > 0);
     }},
    {"--nagios: it and --json are two formats: use one",
     [](const Asked& a) { return a.all.nagios && a.all.json; }},
    {"--succeeded-within: a symlink lock remembers no run: use a lock file",
     [](const Asked& a) {
       return asks_for_success(a) && a.store.has_path && !a.store.inheritable;
     }},
    {"--queue-max: this caller does not wait: give it with --wait",
     [](const Asked& a) { return a.request.queue_max != kAnyQueue && !waits(a); }},
    {"--on-busy=supersede: this store's waiters do not replace one another: use join",
     [](const Asked& a) {
       return a.request.on_busy == OnBusy::supersede && !a.store.queue_limits;
     }},
    {"--on-busy=skip: only changes an exit code, and a program has an answer: use fail",
     [](const Asked& a) { return a.taker == kLibrary && a.request.on_busy == OnBusy::skip; }},
    {"--on-too-soon=skip: only changes an exit code, and a program has an answer: use fail",
     [](const Asked& a) {
       return a.taker == kLibrary && a.request.on_too_soon == OnTooSoon::skip;
     }},
    {"--slack: a learned interval allows for early callers: leave it out",
     [](const Asked& a) { return !a.all.slack.is_zero() && a.request.if_elapsed_auto; }},
    {"--slack: shortens an interval: give it with --if-elapsed DUR",
     [](const Asked& a) {
       return !a.all.slack.is_zero() &&
              (a.request.if_elapsed.is_zero() || a.request.if_elapsed.is_forever());
     }},
    {"--slack: is more than a tenth of --if-elapsed",
     [](const Asked& a) { return a.all.slack.ns > a.request.if_elapsed.ns / 10; }},
    {"--no-history: nothing is logged with it: leave it out, or --log and --log-args",
     [](const Asked& a) {
       return a.request.no_history && (!a.request.log.empty() || a.request.log_args);
     }},
    {"--overdue: names its holders itself: leave --slot out",
     [](const Asked& a) { return a.all.slot != 0 && a.all.overdue; }},
    {"--token: names its holder itself: leave --slot and --overdue out",
     [](const Asked& a) { return a.all.token != 0 && (a.all.slot != 0 || a.all.overdue); }},
};

// Returns false with `error` if a rule is broken.
bool keeps(const Asked& asked, Error& error) {
  for (const Rule& rule : kRules) {
    if (!rule.broken(asked)) continue;
    error = error_of(Code::usage, 0, rule.sentence);
    if (rule.more != nullptr) rule.more(asked, error);
    return false;
  }
  return true;
}

}  // namespace

Status check_rules(const Settings& settings, const Scheme& store, unsigned taker) {
  const Asked asked = {settings, settings.request, store.traits, store, taker};
  Error error;
  if (keeps(asked, error)) return {};
  put_in_words_of(taker, error);
  return error;
}

Error without_lease() { return error_of(Code::usage, 0, kWithoutLease); }

}  // namespace atmost
