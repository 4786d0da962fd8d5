// Help is printed from the same tables that arguments are read with, so it cannot list an option
// that does not exist.
#include "options/option.h"
#include "output.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

bool is_first(std::string_view name) {
  for (const std::string_view first : first_commands) {
    if (name == first) return true;
  }
  return false;
}

void write_command(Output& to, std::string_view name, std::string_view help) {
  to.text("  ").text(name);
  for (std::size_t used = name.size(); used < 9; ++used) to.text(" ");
  to.text(help).text("\n");
}

// Calls `take` with the name and help of each command.
template <class Take>
void each_command(Take take) {
  for (const Subcommand& one : subcommands) take(one.name, one.help);
  for (const ExternalProgram& one : external_programs) take(one.name, one.help);
}

// The names of the other commands, in lines of a narrow terminal.
void write_others(Output& to) {
  constexpr std::size_t kWidth = 78;
  to.text("others:");
  std::size_t used = 7;
  each_command([&](std::string_view name, std::string_view) {
    if (is_first(name)) return;
    used += name.size() + 1;
    if (used > kWidth) {
      to.text("\n       ");
      used = 8 + name.size();
    }
    to.text(" ").text(name);
  });
  to.text("\nall commands: atmost --help-all\n");
}

}  // namespace

int show_help(const Subcommand& subcommand, bool all) {
  Output to(1);
  to.text("usage: atmost ").text(subcommand.name).text(" ").text(subcommand.arguments).text("\n\n");
  to.text(subcommand.help).text("\n");
  const bool part = subcommand.bit == kRun && !all;
  if (!all) to.text("\n");
  bool has_span = false;
  const Option* before = nullptr;
  for (const Option& option : all_options()) {
    if ((option.takers & subcommand.bit) == 0 || (part && (option.takers & kOften) == 0)) continue;
    if (all && (before == nullptr || before->group != option.group))
      to.text("\n").text(heading(option.group)).text(":\n");
    before = &option;
    to.text(help_lines(option));
    has_span = has_span || (option.value.starts_with("DUR"));
  }
  if ((subcommand.bit & kList) == 0) {
    to.text("\nLOCK: a path (/x, ./x, a/x), operator:operand, or a name in the lock directory.\n");
  }
  if (has_span) to.text("DUR: 90, 90s, 15m, 1h30m, 1.5h, 2d, 1w, 250ms, inf.\n");
  if (part) to.text("all options: atmost run --help-all\n");
  return finish(to);
}

int show_help(bool all) {
  Output to(1);
  to.text(
      "usage: atmost COMMAND [OPTION]... [ARGUMENT]...\n\n"
      "At most N at a time, at most once every T, for at most D.\n\n");
  for (const std::string_view first : first_commands) {
    each_command([&](std::string_view name, std::string_view help) {
      if (name == first) write_command(to, name, help);
    });
  }
  write_command(to, "help", "[COMMAND]: its options, or this");
  to.text("\n");
  if (all) {
    each_command([&](std::string_view name, std::string_view help) {
      if (!is_first(name)) write_command(to, name, help);
    });
  } else {
    write_others(to);
  }
  to.text("\nman atmost-COMMAND explains the options of a command, man 7 atmost the ideas.\n");
  return finish(to);
}

int show_version() {
  Output to(1);
  to.text("atmost " ATMOST_VERSION "\n");
  return finish(to);
}

}  // namespace atmost::cli
