// Help is printed from the same tables that arguments are read with, so it cannot list an option
// that does not exist.
#include "options.h"
#include "output.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

void pad(Output& to, std::size_t used, std::size_t column) {
  to.text("  ");
  for (; used < column; ++used) to.text(" ");
}

void show_option(Output& to, const Option& option) {
  Text<80> left;
  if (option.letter != 0) {
    left.push('-').push(option.letter).append(", ");
  } else {
    left.append("    ");
  }
  left.append("--").append(option.name);
  if (!option.value.empty()) left.push(' ').append(option.value);
  to.text("  ").text(left);
  pad(to, left.size(), 26);
  to.text(option.help).text("\n");
}

}  // namespace

int show_help(const Subcommand& subcommand) {
  Output to(1);
  to.text("usage: atmost ").text(subcommand.name).text(" ").text(subcommand.arguments).text("\n\n");
  to.text(subcommand.help).text("\n\n");
  bool has_span = false;
  for (const Option& option : options()) {
    if ((option.subcommands & subcommand.bit) == 0) continue;
    show_option(to, option);
    has_span = has_span || (option.value.starts_with("DUR"));
  }
  if ((subcommand.bit & kList) == 0) {
    to.text("\nLOCK: a path (/x, ./x, a/x), operator:operand, or a name in the lock directory.\n");
  }
  if (has_span) to.text("DUR: 90, 90s, 15m, 1h30m, 1.5h, 2d, 1w, 250ms, inf.\n");
  return finish(to);
}

int show_help() {
  Output to(1);
  to.text(
      "usage: atmost COMMAND [OPTION]... [ARGUMENT]...\n\n"
      "At most N at a time, at most once every T, for at most D.\n\n");
  for (const Subcommand& one : subcommands()) {
    to.text("  ").text(one.name);
    pad(to, one.name.size(), 8);
    to.text(one.help).text("\n");
  }
  for (const ExternalProgram& one : external_programs()) {
    to.text("  ").text(one.name);
    pad(to, one.name.size(), 8);
    to.text(one.help).text("\n");
  }
  to.text(
      "\nLess often: simulate TRACE compares limits on a log; schema and fence are for fleets.\n"
      "atmost COMMAND --help shows the options of a command; man atmost-COMMAND explains them,\n"
      "man 7 atmost the ideas.\n");
  return finish(to);
}

int show_version() {
  Output to(1);
  to.text("atmost " ATMOST_VERSION "\n");
  return finish(to);
}

}  // namespace atmost::cli
