// The options and operands of a command line.
#ifndef ATMOST_CLI_OPERANDS_H
#define ATMOST_CLI_OPERANDS_H

#include "core/result.h"
#include "invocation.h"

namespace atmost::cli {

// Reads the words behind the subcommand (options/words.h).
Status read_command_words(int argc, char* const* argv, Invocation& to);

// True if LOCK was forgotten in front of COMMAND (usage errors, with the cure): LOCK is a shell's
// assignment or a program that runs others, or the word behind it begins with a hyphen. With a "--"
// behind it, LOCK is meant. The answer does not depend on the programs that are installed. For run;
// every other subcommand's operands are fine.
Status check_operands(const Invocation& invocation);

// True if the word is NAME=VALUE, as a shell sets a variable.
bool is_assignment(std::string_view word);

}  // namespace atmost::cli

#endif
