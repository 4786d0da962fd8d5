#include "suggest.h"

namespace atmost::cli {
namespace {

struct Habit {
  std::string_view typed;
  std::string_view form;
};

// Commands that users of other programs may type.
constexpr Habit kCommandHabits[] = {
    {"stop", "kill"},
    {"abort", "kill"},
    {"terminate", "kill"},
    {"start", "run"},
    {"exec", "run"},
    {"lock", "run, or hold in a script"},
    {"acquire", "run, or hold in a script"},
    {"unlock", "release"},
    {"pause", "drain"},
    {"suspend", "drain"},
    {"disable", "drain"},
    {"unpause", "resume"},
    {"enable", "resume"},
    {"log", "history"},
    {"logs", "history"},
    {"show", "list, or explain for one lock"},
    {"info", "list, or explain for one lock"},
    {"who", "list"},
    {"queue", "list"},
    {"rm", "forget"},
    {"delete", "forget"},
    {"reset", "forget"},
    {"clear", "forget"},
    {"test", "check"},
    {"try", "check"},
};

// Programs whose names users may type behind atmost: docs/coming-from.md compares them.
constexpr Habit kPrograms[] = {
    {"flock", "run -w inf"},
    {"setlock", "run -w inf"},
    {"sem", "run -n N -w inf"},
    {"parallel", "run -n N -w inf"},
    {"timeout", "run --max-runtime DUR"},
    {"chronic", "run --output=on-failure"},
    {"run-one", "run"},
    {"lockrun", "run"},
    {"cronlock", "run"},
};

constexpr std::string_view kOnlyInShells[] = {"cd", "export", "source", ".",    "umask",
                                              "if", "for",    "while",  "eval", "ulimit"};

template <std::size_t N>
std::string_view form_of(const Habit (&habits)[N], std::string_view typed) {
  for (const Habit& habit : habits) {
    if (habit.typed == typed) return habit.form;
  }
  return {};
}

}  // namespace

std::string_view own_command(std::string_view typed) {
  const std::string_view form = form_of(kCommandHabits, typed);
  return form.empty() ? form_of(kPrograms, typed) : form;
}

bool is_another_program(std::string_view word) { return !form_of(kPrograms, word).empty(); }

bool needs_shell(std::string_view command) {
  if (command.find_first_of(" \t\n;|&<>()$`*?") != std::string_view::npos) return true;
  for (const std::string_view word : kOnlyInShells) {
    if (word == command) return true;
  }
  return false;
}

}  // namespace atmost::cli
