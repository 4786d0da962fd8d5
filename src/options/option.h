// The options: one table (table.h), from which command lines, pass files and the C library read
// values, and from which help, completions, manuals and the schema of pass files are made.
#ifndef ATMOST_OPTIONS_OPTION_H
#define ATMOST_OPTIONS_OPTION_H

#include <span>
#include <string_view>

#include "core/result.h"
#include "settings.h"

namespace atmost {

// The subject of an option; help shows a heading for each.
enum class Group : std::uint8_t {
  count,
  waiting,
  pace,
  stopping,
  learning,
  command,
  output,
  place,
  answers,
  expert,
};

struct Option {
  char letter;             // 0: none
  std::string_view name;   // without the dashes; in pass files and the library with underscores
  std::string_view value;  // the name of its value in help; empty: it takes none
  unsigned takers;
  Group group;
  std::string_view help;  // one line
  // Stores its value, of which views are kept. The error does not name the option.
  Status (*read)(std::string_view value, Settings& to);
};

// At most kMostOptions.
std::span<const Option> all_options();

// The option of that name, spelt as this taker spells names; null: there is none, or it is not the
// taker's.
const Option* find_option(std::string_view name, unsigned taker);

// Sets one option to a value as a command line gives it; the last value counts, but those of `also`
// and `env` add up. For an option without a value: "true", or nothing, and "false". The value is
// borrowed for as long as `to` is used. Checks the value alone: combine.h checks how they fit.
// Errors are usage errors in the taker's words that begin with the option. No system call.
Status set_option(Settings& to, std::string_view name, std::string_view value, unsigned taker);
Status set_option(Settings& to, const Option& option, std::string_view value, unsigned taker);

// The error about a text, as it was typed, that names none of the taker's options, with the one
// that may have been meant.
Error no_option(std::string_view typed, unsigned taker);

// "At most N at a time"
std::string_view heading(Group group);

// The option's lines in help, of at most 80 columns, each with its newline.
Text<400> help_lines(const Option& option);

// The option's name as this taker spells it: --if-elapsed, if_elapsed.
Text<40> name_for(unsigned taker, const Option& option);

// Rewrites a sentence about options of the command line in the words of another taker:
// "--output-max: ... --output=tail" to "output_max: ... output = \"tail\"".
void put_in_words_of(unsigned taker, Error& error);

}  // namespace atmost

#endif
