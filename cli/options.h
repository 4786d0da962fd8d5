// The options: one table, from which arguments are read and help is printed.
#ifndef ATMOST_CLI_OPTIONS_H
#define ATMOST_CLI_OPTIONS_H

#include <span>

#include "invocation.h"

namespace atmost::cli {

struct Option {
  char letter;             // 0: none
  std::string_view name;   // without the dashes
  std::string_view value;  // what its argument is called in help; empty: it takes none
  unsigned subcommands;    // which take it
  std::string_view help;   // one line
  // Stores its value. The error does not name the option.
  Status (*read)(std::string_view value, Invocation& to);
  std::string_view not_in_fleet = {};  // why no leased store knows it; empty: they do
  std::string_view old_name = {};      // which is taken as well
};

// At most kMostOptions.
std::span<const Option> options();

// Reads argv[1] … up to the first operand into `to`, whose subcommand is set; checks each value,
// not yet how they fit together (combine.h). "--" ends the options. Of a repeated option the last
// counts; --also adds up. Errors are usage errors that begin with the option.
Status read_options(int argc, char* const* argv, Invocation& to);

}  // namespace atmost::cli

#endif
