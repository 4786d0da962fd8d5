#include "subcommands.h"

#include <cstdlib>

#include "place.h"

namespace atmost::cli {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"run", kRun, run_command, "[OPTION]... LOCK [--] COMMAND [ARG]...",
     "run COMMAND when LOCK admits it"},
    {"check", kCheck, check_command, "[-n N] [OPTION]... LOCK",
     "how many instances run; with -n: 0 if one more could start, else 75"},
    {"wait", kWait, wait_command, "[-n N] [OPTION]... LOCK",
     "return when LOCK would admit one more; reserves nothing"},
    {"list", kList, list_command, "[OPTION]... [LOCK]...",
     "holders and waiters, of all named locks if none is given"},
    {"hold", kHold, hold_command, "[OPTION]... --for-pid PID LOCK",
     "take LOCK for a running process, until it ends or is released"},
    {"release", kRelease, release_command, "[--for-pid PID] LOCK", "end a hold"},
    {"drain", kDrain, drain_command, "[--slot S] LOCK", "admit nobody (to that slot) until resume"},
    {"resume", kResume, resume_command, "[--slot S] LOCK", "admit callers again after drain"},
    {"limit", kLimit, limit_command, "LOCK [N] [--rate K/T]... [--names A,B,C|@FILE] [--clear]",
     "the limit of record, which every caller of LOCK obeys"},
    {"kill", kKill, kill_command, "[--slot S | --token T | --overdue] [--dry-run] LOCK",
     "stop the holders carefully"},
    {"forget", kForget, forget_command, "LOCK", "forget the last admission and what was learned"},
    {"tune", kTune, tune_command, "[OPTION]... [LOCK]...",
     "what auto would choose now, and from which data"},
    {"beat", kBeat, beat_command, "[--eta DUR] [LOCK]",
     "from inside a command: it works, although it is silent"},
};

constexpr ExternalProgram kPrograms[] = {
    {"jobs", "a line for each lock: last start, last result, what it does now"},
    {"explain", "the lock file in words"},
    {"doctor", "can locks be trusted there? tries it, says yes or no and why"},
    {"history", "what happened: admissions, refusals, takeovers and ends"},
    {"stats", "the history in numbers, lock by lock"},
    {"top", "holders and waiters, live, with keys to stop and drain"},
    {"report", "a page to look at: what happened when, the worst offenders"},
    {"pass", "run every atom of a file that is due (front end for cron)"},
};

constexpr std::string_view kFirst[] = {"run", "list", "jobs", "history", "check", "kill", "drain"};

Error about_also(std::string_view text, const Error& why) {
  Error error = error_of(why.code, why.sys, "--also: ");
  error.message.append(text).append(": ").append(why.message);
  return error;
}

// --also [N@]LOCK
Status take_also(Invocation& invocation, const NamingContext& around, const Settings::Also& also) {
  LockSpec& lock = invocation.request.locks[invocation.request.lock_count];
  lock.max = also.max;
  lock.max_given = also.max_given;
  bool named = false;
  if (const Status placed = place(invocation, around, also.lock, run_arena(), lock, named);
      !placed.ok())
    return about_also(also.lock, placed.error());
  invocation.request.make_parents = invocation.request.make_parents || named;
  ++invocation.request.lock_count;
  return {};
}

// For locks without a lock directory whose history they would belong to.
void keep_history_here(Invocation& invocation, const NamingContext& around) {
  Request& request = invocation.request;
  if (request.no_history || !request.log.empty()) return;
  request.log_is_own = scheme_of(invocation).traits.has_path;
  const Result<PathParts> placed =
      request.log_is_own ? own_log(around) : fleet_log(without_shared(around, invocation.store));
  if (placed.ok()) {
    request.log = placed.value();
  } else {
    request.no_history = true;
  }
}

}  // namespace

constinit const std::span<const Subcommand> subcommands = kSubcommands;
constinit const std::span<const ExternalProgram> external_programs = kPrograms;
constinit const std::span<const std::string_view> first_commands = kFirst;

Status take_lock(Invocation& invocation, bool extra) {
  if (invocation.operand_count == 0) {
    return error_of(Code::usage, 0, "no LOCK given: use a name, operator:operand or a path");
  }
  if (!extra && invocation.operand_count > 1) {
    const std::string_view word = invocation.operands[1];
    Error error = error_of(Code::usage, 0, "\"");
    error.message.append(word).append("\" is one argument too many: ");
    error.message.append(word.starts_with('-') ? "options come before LOCK"
                                               : "this command takes one LOCK");
    return error;
  }
  const NamingContext around = naming_context(invocation);
  const char* held = std::getenv("ATMOST_HELD");
  invocation.request.nested = held != nullptr && held[0] != '\0';
  Status placed = place(invocation, around, invocation.operands[0], run_arena(),
                        invocation.request.locks[0], invocation.request.make_parents);
  const bool by_path = !invocation.request.make_parents;
  for (unsigned i = 0; placed.ok() && i < invocation.also_count; ++i)
    placed = take_also(invocation, around, invocation.also[i]);
  if (placed.ok() && (by_path || !scheme_of(invocation).traits.has_path))
    keep_history_here(invocation, around);
  return placed;
}

}  // namespace atmost::cli
