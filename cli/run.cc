// atmost run
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/limiter.h"
#include "core/parse.h"
#include "options/combine.h"
#include "options/values.h"
#include "os/spawn.h"
#include "place.h"
#include "report.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

// The operands after LOCK, without the "--" that may precede them.
char* const* command_of(const Invocation& invocation) {
  if (invocation.operand_count < 2) return nullptr;
  char* const* command = invocation.operands + 1;
  if (std::string_view{command[0]} == "--") ++command;
  return command[0] != nullptr ? command : nullptr;
}

Error no_command_for(std::string_view lock) {
  Error error = error_of(Code::usage, 0, "no COMMAND given for LOCK (\"");
  error.message.append({lock.data(), lock.size() < 200 ? lock.size() : 200});
  error.message.append("\"): atmost run LOCK COMMAND [ARG]...");
  return error;
}

// Adds a suggestion to the message about a command that does not exist.
void explain_not_found(const Invocation& invocation, std::string_view command, Error& error) {
  const std::string_view lock = invocation.operands[0];
  if (is_assignment(command)) {
    error.message.append("; a variable for the command is set by: env ");
    error.message.append({command.data(), command.find('=') + 1}).append("... COMMAND");
  } else if (needs_shell(command)) {
    error.message.append("; for shell syntax use: sh -c 'COMMAND'");
  } else if (os::is_in_path(lock)) {
    error.message.append("; ").append(lock).append(
        " is a program: was LOCK forgotten? atmost run LOCK ");
    error.message.append(lock).append(" ").append(command);
  }
}

// Takes the URL from the environment if no option named one; else overwrites the option's text, so
// that other users see it in lists of processes for no longer than necessary.
Status take_ping(const char* variable, Invocation& invocation) {
  if (!invocation.ping.empty()) {
    hide_ping(invocation);
    return {};
  }
  if (variable[0] == '\0' || invocation.request.exec) return {};
  const Status read = options::read_ping(variable, invocation);
  if (read.ok()) return {};
  Error error = error_of(Code::usage, 0, "$ATMOST_PING: ");
  error.message.append(read.error().message);
  return error;
}

Status take_progress(const char* variable, Invocation& invocation) {
  if (invocation.progress != Progress::unset || variable[0] == '\0') return {};
  const Status read = options::read_progress(variable, invocation.progress);
  if (read.ok()) return {};
  Error error = error_of(Code::usage, 0, "$ATMOST_PROGRESS: ");
  error.message.append(read.error().message);
  return error;
}

bool take_lock_and_ping(Invocation& invocation, int& code) {
  Status taken = take_lock(invocation, true);
  const char* const ping = std::getenv("ATMOST_PING");
  if (taken.ok() && (ping != nullptr || !invocation.ping.empty()))
    taken = take_ping(ping, invocation);
  const char* const progress = std::getenv("ATMOST_PROGRESS");
  if (taken.ok() && progress != nullptr) taken = take_progress(progress, invocation);
  if (!taken.ok()) code = fail(taken.error(), invocation, 2);
  return taken.ok();
}

}  // namespace

void hide_ping(const Invocation& invocation) {
  const std::string_view argument = invocation.ping;
  if (!argument.empty() && !argument.starts_with('@'))
    std::memset(const_cast<char*>(argument.data()), 'x', argument.size());
}

int run_command(Invocation& invocation) {
  int code = 0;
  if (!take_lock_and_ping(invocation, code)) return code;
  const Command command{command_of(invocation)};
  if (command.argv == nullptr) return fail(no_command_for(invocation.operands[0]), invocation, 2);
  invocation.request.command = Text<63>(last_part(command.argv[0]));
  if (const std::string_view doubt = doubtful(invocation); !doubt.empty()) {
    Text<300> words("warning: ");
    complain(words.append(doubt));
  }
  Narrator narrator(invocation);
  Outcome outcome = atmost::run_command(*invocation.locks, invocation.request, command, &narrator);
  narrator.done();
  if (outcome.error.sys == EREMOTE && goes_elsewhere(invocation, outcome, code)) return code;
  if (outcome.kind == Outcome::Kind::failed && outcome.error.code == Code::not_found)
    explain_not_found(invocation, command.argv[0], outcome.error);
  report(outcome, invocation, 2);
  if (invocation.status_fd >= 0) report_status(outcome, invocation, {});
  const bool by_itself = outcome.kind == Outcome::Kind::ran && outcome.stopped == Stopped::no;
  if (by_itself && !outcome.too_fast) os::end_as(outcome.status);
  return exit_code(outcome, invocation);
}

}  // namespace atmost::cli
