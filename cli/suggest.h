// Suggestions for an unknown word.
#ifndef ATMOST_CLI_SUGGEST_H
#define ATMOST_CLI_SUGGEST_H

#include <string_view>

namespace atmost::cli {

// The subcommand for a word that other programs have for it; empty: none.
std::string_view own_command(std::string_view typed);

// True if the word is a program that docs/coming-from.md compares with atmost.
bool is_another_program(std::string_view word);

// True if the command needs a shell but is started without one: shell syntax in its name, or a
// command that only shells have.
bool needs_shell(std::string_view command);

}  // namespace atmost::cli

#endif
