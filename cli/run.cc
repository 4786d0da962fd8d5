// atmost run
#include "combine.h"
#include "core/host.h"
#include "core/limiter.h"
#include "report.h"
#include "subcommands.h"
#include "suggest.h"

namespace atmost::cli {
namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos
             ? path
             : std::string_view{path.data() + slash + 1, path.size() - slash - 1};
}

// The operands behind LOCK, without the "--" that may stand between.
char* const* command_of(const Invocation& it) {
  if (it.operand_count < 2) return nullptr;
  char* const* command = it.operands + 1;
  if (std::string_view{command[0]} == "--") ++command;
  return command[0] != nullptr ? command : nullptr;
}

// Adds what may have been meant to the message about a command that does not exist.
void explain_not_found(const Invocation& it, std::string_view command, Error& error) {
  const std::string_view lock = it.operands[0];
  if (needs_shell(command)) {
    error.message.append("; for shell syntax use: sh -c 'COMMAND'");
  } else if (is_program(lock)) {
    error.message.append("; ").append(lock).append(
        " is a program: was LOCK forgotten? atmost run LOCK ");
    error.message.append(lock).append(" ").append(command);
  }
}

}  // namespace

int run_command(Invocation& it) {
  if (const Status placed = take_lock(it, true); !placed.ok()) return fail(placed.error(), it, 2);
  const Command command{command_of(it)};
  if (command.argv == nullptr) {
    return fail(error_of(Code::usage, 0, "no COMMAND given: atmost run LOCK COMMAND [ARG]..."), it,
                2);
  }
  it.request.command = Text<63>(base_name(command.argv[0]));
  if (const std::string_view doubt = doubtful(it); !doubt.empty()) {
    Text<300> words("warning: ");
    complain(words.append(doubt));
  }
  Narrator narrator(it);
  Outcome outcome = atmost::run_command(*it.locks, it.request, command, &narrator);
  if (outcome.kind == Outcome::Kind::failed && outcome.error.code == Code::not_found)
    explain_not_found(it, command.argv[0], outcome.error);
  report(outcome, it, 2);
  report_status(outcome, it, {});
  if (outcome.kind == Outcome::Kind::ran && outcome.stopped == Stopped::no) end_as(outcome.status);
  return exit_code(outcome, it);
}

}  // namespace atmost::cli
