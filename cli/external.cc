// Subcommands that are separate programs.
#include <cerrno>
#include <cstdlib>

#include "core/monitor.h"
#include "options/words.h"
#include "os/host.h"
#include "output.h"
#include "subcommands.h"

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

namespace {

bool is_plain_name(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !name.empty() && name[0] != '-' && name.size() <= 32 &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

// Programs that the help names in a sentence and not in its list.
constexpr std::string_view kSeldomUsed[] = {"simulate", "schema", "fence"};

// Starts argv[0], and returns only if it could not.
using Start = Error (*)(char* const* argv);

void tell_killed() { complain(kSupervisorKilled); }

void tell_left(const Error& words) { complain(words.message); }

// For the monitor: the same program also ends the lease of a killed supervisor.
constinit PathText store_url;
constinit const Invocation* monitored_run = nullptr;

void hide_secrets() { hide_ping(*monitored_run); }

void tell_caller_ended() {
  complain("--die-with: that process has ended, and so the command is not started");
}

void tell_killed_here() {
  complain(
      "the supervisor was killed: its command is stopped, with all that it started (--die-with)");
}

Error monitor(char* const* argv) {
  char* const end_lease[] = {argv[0], const_cast<char*>(kEndLease),
                             const_cast<char*>(store_url.c_str()), nullptr};
  const Invocation& run = *monitored_run;
  return monitor_program(argv,
                         {.started = hide_secrets,
                          .killed = tell_killed,
                          .left = tell_left,
                          .end_lease = store_url.truncated() ? nullptr : end_lease,
                          .kill_grace = run.die_with.given() ? run.request.kill_grace : Duration{},
                          .caller_ended = tell_caller_ended});
}

// Replaces argv[0] with the program's path. Returns only if there is no such program (0) or it
// could not be started (the exit code).
int try_in(std::string_view directory, std::string_view below, std::string_view name, char** argv,
           Start start) {
  if (directory.empty()) return 0;
  PathText path(directory);
  path.append(below).append("/atmost-").append(name);
  if (path.truncated()) return 0;
  // The program reads its own path from argv[0], and finds it after the last slash as users know
  // it.
  char* const replaced = argv[0];
  argv[0] = const_cast<char*>(path.c_str());
  const Error error = start(argv);
  argv[0] = replaced;
  if (error.sys == ENOENT || error.sys == ENOTDIR) return 0;
  complain(error);
  return static_cast<int>(error.code);
}

int try_everywhere(std::string_view name, char** argv, Start start) {
  const char* chosen = std::getenv("ATMOST_EXEC_PATH");
  if (chosen != nullptr && chosen[0] != '\0') return try_in(chosen, "", name, argv, start);
  if (const int code = try_in(program_directory(), "/../libexec/atmost", name, argv, start))
    return code;
  return try_in(ATMOST_LIBEXEC, "", name, argv, start);
}

bool is_a_program_of_ours(std::string_view name) {
  for (const ExternalProgram& one : external_programs) {
    if (one.name == name) return true;
  }
  for (const std::string_view one : kSeldomUsed) {
    if (one == name) return true;
  }
  return false;
}

// Adds words as a user may type them, up to a word that needs quotation marks in a shell or may be
// a secret; then it returns false. `last`: null, or the end.
bool append_words(Error& error, char* const* words, char* const* last) {
  constexpr std::size_t kLongestAdvice = 400;
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,+:";
  for (; *words != nullptr && words != last; ++words) {
    const std::string_view word = *words;
    const bool plain = word.find_first_not_of(kPlain) == std::string_view::npos &&
                       word.find("//") == std::string_view::npos &&
                       error.message.size() + word.size() < kLongestAdvice;
    error.message.push(' ').append(plain ? word : "...");
    if (!plain) return false;
  }
  return true;
}

// Ends the sentence "NAME is not a command of atmost".
Error no_command(std::string_view name, char* const* rest) {
  Error error = error_of(Code::usage, 0, "\"");
  error.message.append(name).append("\" is not a command of atmost");
  if (const std::string_view own = own_command(name); !own.empty()) {
    append_meant(error, "", own);
    if (is_another_program(name))
      error.message.append(" docs/coming-from.md has the form of each of its options");
    return error;
  }
  Nearest nearest(name);
  for (const Subcommand& one : subcommands) nearest.consider(one.name);
  for (const ExternalProgram& one : external_programs) nearest.consider(one.name);
  for (const std::string_view one : kSeldomUsed) nearest.consider(one);
  for (const std::string_view one : {"help", "version"}) nearest.consider(one);
  if (!nearest.found().empty()) {
    append_meant(error, "", nearest.found());
    return error;
  }
  error.message.append(": atmost --help lists them");
  if (*rest != nullptr && std::string_view(*rest) != "--help")
    error.message.append("; with a lock of that name: atmost run ").append(name).append(" COMMAND");
  return error;
}

bool is_command(std::string_view word) {
  for (const Subcommand& one : subcommands) {
    if (one.name == word) return true;
  }
  return is_a_program_of_ours(word);
}

// Reports an option in the place of a command. `argv` includes the program's name.
Error option_without_command(std::string_view option, char* const* argv) {
  Error error = error_of(Code::usage, 0, "\"");
  error.message.append(option);
  std::string_view word = option;
  while (word.starts_with('-')) word.remove_prefix(1);
  Nearest nearest(word);
  nearest.consider("help");
  nearest.consider("version");
  if (option.starts_with("--") && !nearest.found().empty()) {
    error.message.append("\" is not an option of atmost");
    append_meant(error, "--", nearest.found());
    return error;
  }
  error.message.append("\" is before the command, and options come after it: atmost ");
  char* const* command = argv + 1;
  while (*command != nullptr && !is_command(*command)) ++command;
  const bool named = *command != nullptr;
  error.message.append(named ? *command : "run");
  if (append_words(error, argv + 1, command) && named) append_words(error, command + 1, nullptr);
  return error;
}

}  // namespace

int become_fleet(std::string_view name, char** argv, const Invocation& invocation) {
  store_url.assign(invocation.store);
  monitored_run = &invocation;
  const bool monitored = invocation.subcommand == kRun;
  if (const int code = try_everywhere(name, argv, monitored ? monitor : become_program))
    return code;
  Text<200> words("atmost-");
  complain(words.append(name).append(", which serves stores of many machines, is not installed"));
  return static_cast<int>(Code::unavailable);
}

Error monitor_itself(char* const* argv, const Invocation& invocation) {
  monitored_run = &invocation;
  return monitor_program(argv, {.started = hide_secrets,
                                .killed = tell_killed_here,
                                .left = tell_left,
                                .kill_grace = invocation.request.kill_grace,
                                .caller_ended = tell_caller_ended});
}

int run_external(std::string_view name, char** argv) {
  if (is_plain_name(name)) {
    if (const int code = try_everywhere(name, argv + 1, become_program)) return code;
  }
  if (is_a_program_of_ours(name)) {
    Text<200> words("atmost-");
    complain(words.append(name).append(", the program of this command, is not installed"));
    return static_cast<int>(Code::unavailable);
  }
  const std::string_view shown{name.data(), name.size() < 100 ? name.size() : 100};
  if (!name.starts_with('-')) {
    complain(no_command(shown, argv + 2));
    return static_cast<int>(Code::usage);
  }
  complain(option_without_command(shown, argv));
  return static_cast<int>(Code::usage);
}

}  // namespace atmost::cli
