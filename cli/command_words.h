// The command of a process, for people: the script or program by its path where the record has only
// the first word's last part ("sh"). Taken from the command line as it is now, which the process
// may have rewritten; never for decisions.
#ifndef ATMOST_CLI_COMMAND_WORDS_H
#define ATMOST_CLI_COMMAND_WORDS_H

#include <string_view>

namespace atmost::cli {

// `words`: a command line in the format of /proc/PID/cmdline, each word ended by a NUL: the
// command's, or that of an atmost that runs it. `label`: the command's name from its record.
// Returns the path of the program, or of the script that a known interpreter was given as its first
// argument; empty if there is none or it is uncertain. Options, their values and words that may
// carry something secret (with "=", "@" or "://") are never returned. Borrows from `words`.
std::string_view path_of_command(std::string_view words, std::string_view label);

}  // namespace atmost::cli

#endif
