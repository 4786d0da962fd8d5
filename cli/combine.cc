#include "combine.h"

#include "core/lease_time.h"
#include "core/words.h"
#include "options.h"

namespace atmost::cli {
namespace {

Error usage(std::string_view what) { return error_of(Code::usage, 0, what); }

Status check_amounts(const Invocation& invocation) {
  const LockSpec& lock = invocation.request.locks[0];
  if (invocation.shared && invocation.exclusive)
    return usage("--exclusive: cannot be --shared as well");
  if (invocation.take_given && invocation.shared)
    return usage("--take: readers with --shared take no slots of their own");
  if (invocation.exclusive && (invocation.take_given || invocation.max_given)) {
    return usage("--exclusive: a writer is alone: leave --max and --take out");
  }
  if (invocation.take_given && invocation.subcommand == kCheck && !invocation.max_given) {
    return usage("--take: only answers with --max: use -n N as well");
  }
  if (lock.take > lock.max && (invocation.take_given || lock.max > 0)) {
    Error error = usage("--take: ");
    error.message.append_unsigned(lock.take).append(" slots of at most ").append_unsigned(lock.max);
    error.message.append(invocation.max_given ? ": use at most --max"
                                              : ": use --max N with an N as large");
    return error;
  }
  if (invocation.request.splay.is_forever()) {
    return usage("--splay: no part of inf can be waited for: use a duration, such as 10m");
  }
  if (invocation.subcommand == kHold && invocation.for_pid == 0) {
    return usage("--for-pid: hold needs it: use --for-pid $$ in a script");
  }
  if (invocation.subcommand == kWait && !invocation.max_given)
    return usage("--max: wait needs it: use -n N");
  return {};
}

Status check_monitoring(const Invocation& invocation) {
  const Request& request = invocation.request;
  if (invocation.succeeded_within.is_zero())
    return invocation.nagios ? Status(usage("--nagios: answers --succeeded-within DUR: add it"))
                             : Status();
  const bool asks_more = invocation.max_given || invocation.shared || invocation.exclusive ||
                         request.if_elapsed_auto || !request.if_elapsed.is_zero() ||
                         request.elapsed_from != ElapsedFrom::success || request.rate.count > 0;
  if (asks_more)
    return usage("--succeeded-within: is the whole question: leave the other conditions out");
  if (invocation.nagios && invocation.json)
    return usage("--nagios: it and --json are two formats: use one");
  const StoreTraits& traits = traits_of(invocation);
  if (traits.has_path && !traits.inheritable)
    return usage("--succeeded-within: a symlink lock remembers no run: use a lock file");
  return {};
}

Status check_idle(const Invocation& invocation) {
  const Request& request = invocation.request;
  if (!watches_holders(request)) return {};
  if (!traits_of(invocation).inheritable)
    return usage("--expire-idle: watches the holders of lock files: use --expire-after");
  if (request.wait.is_zero() && request.on_busy != OnBusy::join)
    return usage("--expire-idle: only a caller that waits watches the holder: use --wait as well");
  return {};
}

Status check_exec(const Invocation& invocation) {
  const Request& request = invocation.request;
  if (invocation.subcommand == kHold) {
    if (request.expire_after.is_zero())
      return usage("--expire-after: hold releases the lock after this long: use more than 0");
    if (request.until == Until::close)
      return usage("--until: a held process has no descriptor: use main or tree");
    return {};
  }
  if (!request.exec) {
    if (request.until == Until::close && traits_of(invocation).leased) {
      return usage(
          "--until: close is about a descriptor of a lock file: use main or tree with --store");
    }
    if (request.until == Until::close) {
      return usage("--until: close is for commands that replace atmost: use --exec as well");
    }
    return {};
  }
  if (!request.max_runtime.is_zero() || request.max_runtime_auto) {
    return usage(
        "--max-runtime: nobody stays to stop a command run with --exec: use timeout(1), or leave "
        "--exec out");
  }
  if (watches_silence(request))
    return usage("--max-idle: nobody stays to watch a command run with --exec: leave one out");
  if (invocation.die_with.given())
    return usage("--die-with: nobody stays to stop a command run with --exec: leave one out");
  if (!request.min_runtime.is_zero() || request.min_runtime_auto) {
    return usage("--min-runtime: nobody stays to see a command run with --exec end: leave one out");
  }
  if (request.close_fd) {
    return usage(
        "--close: with --exec the command holds the lock by the descriptor: leave one of them out");
  }
  if (invocation.until_given && request.until == Until::main) {
    return usage(
        "--until: nobody stays to see the main process of --exec end: use tree or close, or leave "
        "--exec "
        "out");
  }
  return {};
}

// Options that mean nothing where locks are not files of this machine (docs/fleet.md lists them for
// users).
Status check_options_of_fleet(const Invocation& invocation) {
  for (const Option& option : options()) {
    const bool given = invocation.given[&option - options().data()];
    if (!given || option.not_in_fleet.empty()) continue;
    if (option.name == "mode" && scheme_of(invocation.store)->directory) continue;
    Error error = usage("--");
    error.message.append(option.name).append(": ").append(option.not_in_fleet);
    return error;
  }
  return {};
}

Status check_lease_time(const Invocation& invocation) {
  const Request& request = invocation.request;
  const Duration shortest = shortest_ttl(request.kill_grace);
  if (shortest.is_forever()) {
    return usage(
        "--kill-grace: a lease ends, and its command has to be stopped before that: use a "
        "duration");
  }
  if (request.ttl.is_forever()) {
    return usage(
        "--ttl: a lease that never ends would keep the slots of a host that died: use a duration");
  }
  if (request.ttl > kLongestTtl) {
    return usage("--ttl: so long a lease would keep the slots of a host that died: use at most 7d");
  }
  if (shortest > kLongestTtl) {
    return usage(
        "--kill-grace: the command has to be stopped before its lease of at most 7d ends: use "
        "less");
  }
  if (request.ttl >= shortest) return {};
  Error error = usage("--ttl: ");
  error.message.append(duration_words(request.ttl))
      .append(
          " is too short to renew the lease (1.5s), and else to stop the command before it ends "
          "(twice "
          "--kill-grace and 1s): use at least ")
      .append(duration_seconds(shortest))
      .append("s, or a shorter --kill-grace");
  return error;
}

}  // namespace

Error without_lease() {
  return usage("--ttl: only a lease in a fleet has one: use it with --store, or a lock on NFS");
}

namespace {

Status check_fleet(const Invocation& invocation) {
  if (!traits_of(invocation).leased) {
    if (invocation.ttl_given && !invocation.store.empty()) return without_lease();
    if (invocation.on_lost_given && !traits_of(invocation).inheritable)
      return usage(
          "--on-lost: a lock that is a symbolic link is not watched: use a lock file, or --store "
          "of a fleet");
    if (invocation.on_lost_given && invocation.request.exec)
      return usage(
          "--on-lost: nobody stays to look after the lock file of --exec: leave one of them out");
    return {};
  }
  if (invocation.subcommand == kHold || invocation.subcommand == kRelease) {
    return usage(
        "--store: hold and release keep locks of this machine: use run, which renews its lease");
  }
  if (const Status known = check_options_of_fleet(invocation); !known.ok()) return known;
  return invocation.subcommand == kRun ? check_lease_time(invocation) : Status{};
}

Status check_flock(const Invocation& invocation) {
  if (!invocation.request.with_flock) return {};
  if (!traits_of(invocation).inheritable)
    return usage("--with-flock: a symlink lock is no file that flock(1) could lock: leave it out");
  if (invocation.request.until == Until::close) {
    return usage(
        "--with-flock: a flock(2) stays until all who inherited the file have closed it: leave it "
        "or "
        "--until=close out");
  }
  return {};
}

Status check_slack(const Invocation& invocation) {
  const Request& request = invocation.request;
  if (invocation.slack.is_zero()) return {};
  if (request.if_elapsed_auto)
    return usage("--slack: a learned interval allows for early callers: leave it out");
  if (request.if_elapsed.is_zero() || request.if_elapsed.is_forever())
    return usage("--slack: shortens an interval: give it with --if-elapsed DUR");
  if (invocation.slack.ns > request.if_elapsed.ns / 10)
    return usage("--slack: is more than a tenth of --if-elapsed");
  return {};
}

Status check_output(const Invocation& invocation) {
  const Request& request = invocation.request;
  if (invocation.output_max_given && request.output != OutputTo::on_failure)
    return usage("--output-max: is what --output=on-failure keeps: use both, or leave it out");
  if (invocation.notify_on_given && request.notify.empty())
    return usage("--notify-on: says when the command of --notify is run: use both");
  if (request.exec && !request.notify.empty())
    return usage("--notify: nobody stays to see a command run with --exec end: leave one out");
  if (request.ping_output && request.output == OutputTo::show)
    return usage("--ping-output: only kept output is sent: use --output=on-failure or tail");
  if (request.exec && !request.ping.empty())
    return usage("--ping: nobody stays to see a command run with --exec end: leave one out");
  if (request.exec && request.output != OutputTo::show)
    return usage("--output: nobody stays to show the output of --exec: leave one of them out");
  return {};
}

Status check_runtimes(const Request& request) {
  if (request.min_runtime.is_forever())
    return usage("--min-runtime: no run is that long: use a duration");
  if (!request.max_runtime.is_zero() && request.min_runtime >= request.max_runtime)
    return usage("--min-runtime: no run could be that long: use less than --max-runtime");
  return {};
}

Status check_queue(const Invocation& invocation) {
  const Request& request = invocation.request;
  const bool waits = invocation.wait_given || request.on_busy == OnBusy::join ||
                     request.on_busy == OnBusy::supersede ||
                     (request.rate.count > 0 && request.on_too_soon == OnTooSoon::wait);
  if (request.queue_max != kAnyQueue && !waits)
    return usage("--queue-max: this caller does not wait: give it with --wait");
  const StoreTraits& traits = traits_of(invocation);
  if (request.rate.count > 0 && !traits.rates)
    return usage("--rate: this store does not record so many admissions: use --if-elapsed");
  if (request.queue_max != kAnyQueue && !traits.queue_limits)
    return usage("--queue-max: this store does not count who waits: leave it out");
  if (request.on_busy == OnBusy::supersede && !traits.queue_limits)
    return usage("--on-busy=supersede: this store's waiters do not replace one another: use join");
  return {};
}

Status check_learned(const Invocation& invocation) {
  const Request& request = invocation.request;
  if (request.learned.low > request.learned.high)
    return usage("--auto-min: is longer than --auto-max");
  if (!wants_stats(request)) return {};
  const StoreTraits& traits = traits_of(invocation);
  if (traits.leased && (request.if_elapsed_auto || request.expire_auto)) {
    return usage(
        "auto: a fleet's store remembers how long runs took, and so --max-runtime and "
        "--min-runtime "
        "alone may be auto: give a duration");
  }
  if (!traits.remembers_runs) {
    return usage("auto: a symbolic link remembers no runs to learn from: give durations");
  }
  return {};
}

}  // namespace

Status combine(Invocation& invocation) {
  LockSpec& lock = invocation.request.locks[0];
  if (invocation.shared && !invocation.max_given) lock.max = kMaxSlots;
  if (const Status amounts = check_amounts(invocation); !amounts.ok()) return amounts;
  if (const Status exec = check_exec(invocation); !exec.ok()) return exec;
  if (const Status fleet = check_fleet(invocation); !fleet.ok()) return fleet;
  if (const Status flock = check_flock(invocation); !flock.ok()) return flock;
  if (const Status runtimes = check_runtimes(invocation.request); !runtimes.ok()) return runtimes;
  if (const Status output = check_output(invocation); !output.ok()) return output;
  if (const Status learned = check_learned(invocation); !learned.ok()) return learned;
  if (const Status idle = check_idle(invocation); !idle.ok()) return idle;
  if (const Status asked = check_monitoring(invocation); !asked.ok()) return asked;
  if (const Status queue = check_queue(invocation); !queue.ok()) return queue;
  if (const Status slack = check_slack(invocation); !slack.ok()) return slack;
  if (invocation.request.no_history &&
      (!invocation.request.log.empty() || invocation.request.log_args)) {
    return usage("--no-history: nothing is logged with it: leave it out, or --log and --log-args");
  }
  if (invocation.slot != 0 && invocation.overdue)
    return usage("--overdue: names its holders itself: leave --slot out");
  if (invocation.token != 0 && (invocation.slot != 0 || invocation.overdue))
    return usage("--token: names its holder itself: leave --slot and --overdue out");
  if (invocation.shared) lock.mode = Mode::shared;
  if (invocation.exclusive) lock.mode = Mode::exclusive;
  Request& request = invocation.request;
  if (!invocation.slack.is_zero()) request.if_elapsed.ns -= invocation.slack.ns;
  if (request.exec && !invocation.until_given) request.until = Until::tree;
  if (!invocation.wait_given &&
      (invocation.subcommand == kWait || request.on_busy == OnBusy::join ||
       request.on_busy == OnBusy::supersede)) {
    request.wait = Duration::forever();
  }
  return {};
}

std::string_view doubtful(const Invocation& invocation) {
  const Request& request = invocation.request;
  if (!request.expire_after.is_forever() && request.expire_after < request.if_elapsed) {
    return "--expire-after is shorter than --if-elapsed: a command that runs longer is stopped "
           "each time and "
           "never "
           "finishes";
  }
  return {};
}

}  // namespace atmost::cli
