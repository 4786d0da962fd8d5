#include "options/option.h"
#include "options/words.h"
#include "place.h"

namespace atmost::cli {
namespace {

// Programs that run others: as the first word of a command line they never are the whole command.
// The list is part of the interface (atmost(7), LOCK).
constexpr std::string_view kRunOthers[] = {"sh",      "bash",    "dash", "zsh",   "ksh",  "python",
                                           "python3", "perl",    "ruby", "node",  "env",  "nice",
                                           "ionice",  "chrt",    "sudo", "doas",  "su",   "nohup",
                                           "setsid",  "timeout", "time", "xargs", "flock"};

bool runs_others(std::string_view word) {
  for (const std::string_view one : kRunOthers) {
    if (one == word) return true;
  }
  return false;
}

// "; with a lock of that name: atmost run LOCK -- COMMAND"
Error& append_meant_lock(Error& error, std::string_view lock) {
  error.message.append("; with a lock of that name: atmost run ");
  append_shown(error, lock);
  error.message.append(" -- COMMAND");
  return error;
}

// "10 minutes" as two words: LOCK would be the unit.
constexpr std::string_view kUnits[] = {
    "ms",      "s", "sec",  "secs",  "second", "seconds", "m",    "min", "mins", "minute",
    "minutes", "h", "hour", "hours", "d",      "day",     "days", "w",   "week", "weeks"};

bool is_unit(std::string_view word) {
  for (const std::string_view unit : kUnits) {
    if (unit == word) return true;
  }
  return false;
}

// True if the two words before LOCK are an option and a bare number, its duration.
bool follows_bare_duration(const Invocation& invocation) {
  if (invocation.operands - invocation.argv < 3) return false;
  const std::string_view number = invocation.operands[-1];
  std::string_view typed = invocation.operands[-2];
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos) return false;
  if (typed == "-w") return true;
  if (typed.find("--") != 0) return false;
  typed.remove_prefix(2);
  const Option* const option = find_option(typed, invocation.subcommand);
  return option != nullptr && option->value.find("DUR") == 0;
}

Error unit_for_lock(std::string_view number, std::string_view unit) {
  Error error = error_of(Code::usage, 0, "\"");
  error.message.append(number).push(' ').append(unit);
  error.message.append("\" is two words, and the second is in the place of LOCK: was ")
      .append(number)
      .append(unit == "ms" ? unit : std::string_view(unit.data(), 1));
  error.message.append(" meant? with a lock of that name: ")
      .append(number)
      .append("s ")
      .append(unit);
  return error;
}

Error assignment_for_lock(std::string_view lock) {
  Error error = error_of(Code::usage, 0, "\"");
  append_shown(error, lock);
  error.message.append("\" is a shell's assignment in the place of LOCK: atmost run LOCK env ");
  append_shown(error, lock);
  error.message.append(" COMMAND");
  return append_meant_lock(error, lock);
}

Error program_for_lock(std::string_view lock) {
  Error error = error_of(Code::usage, 0, "\"");
  error.message.append(lock)
      .append("\" in the place of LOCK is a program: was LOCK forgotten? atmost run LOCK ")
      .append(lock)
      .append(" ...");
  return append_meant_lock(error, lock);
}

Error option_for_command(std::string_view lock, std::string_view word) {
  Error error = error_of(Code::usage, 0, "\"");
  append_shown(error, word);
  error.message.append("\" stands behind LOCK (\"");
  append_shown(error, lock);
  error.message.append("\"), and options come before LOCK; if \"");
  append_shown(error, lock);
  error.message.append("\" is the command, LOCK was forgotten: atmost run LOCK ");
  append_shown(error, lock);
  error.message.append(" ...");
  return error;
}

}  // namespace

namespace {

// No command follows the lock of `limit`, so that options may.
Status read_mixed_words(int argc, char* const* argv, Invocation& to) {
  constexpr int kMost = 2;
  static char* operands[kMost + 1];
  to.operands = operands;
  for (;;) {
    const Result<int> first = read_words(argc, argv, to, to.subcommand);
    if (!first.ok()) return first.error();
    argv += first.value();
    argc -= first.value();
    operands[to.operand_count] = nullptr;
    if (argc <= 0) return {};
    if (to.operand_count == kMost) {
      Error error = error_of(Code::usage, 0, "\"");
      append_shown(error, argv[0]);
      error.message.append("\" is one argument too many: limit takes LOCK and N");
      return error;
    }
    operands[to.operand_count++] = argv[0];  // and the words behind it are read next
  }
}

}  // namespace

Status read_command_words(int argc, char* const* argv, Invocation& to) {
  if (to.subcommand == kLimit) return read_mixed_words(argc, argv, to);
  const Result<int> first = read_words(argc, argv, to, to.subcommand);
  if (!first.ok()) return first.error();
  to.operands = argv + first.value();
  to.operand_count = argc - first.value();
  return {};
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  for (std::size_t i = 0; i < equals; ++i) {
    const char c = word[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  return true;
}

Status check_operands(const Invocation& invocation) {
  if (invocation.operand_count == 0) return {};
  const std::string_view lock = invocation.operands[0];
  if (is_unit(lock) && follows_bare_duration(invocation))
    return unit_for_lock(invocation.operands[-1], lock);
  if (invocation.subcommand != kRun || invocation.operand_count < 2) return {};
  const std::string_view next = invocation.operands[1];
  if (next == "--") return {};
  if (is_assignment(lock)) return assignment_for_lock(lock);
  if (runs_others(lock) && last_part(next) != lock) return program_for_lock(lock);
  if (begins_with_dash(next)) return not_a_hyphen(next);
  return next.starts_with('-') ? Status(option_for_command(lock, next)) : Status();
}

}  // namespace atmost::cli
