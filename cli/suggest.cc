#include "suggest.h"

#include "core/parse.h"

namespace atmost::cli {
namespace {

constexpr std::size_t kShortestBeginning = 3;

struct Habit {
  std::string_view typed;
  std::string_view form;
};

// The options of util-linux flock(1), coreutils timeout(1), GNU parallel's sem and run-one that
// users may type, and the beginning that two options have in common, where atmost has no option of
// that name.
constexpr Habit kHabits[] = {
    {"-x", "an exclusive lock is what atmost takes anyway: leave it out"},
    {"-e", "an exclusive lock is what atmost takes anyway: leave it out"},
    {"-s", "a lock that readers share is --shared"},
    {"-u", "a lock is released when its command ends; one taken by hold: atmost release LOCK"},
    {"--unlock",
     "a lock is released when its command ends; one taken by hold: atmost release LOCK"},
    {"-E", "the exit code when busy is --busy-exit-code N"},
    {"--conflict-exit-code", "the exit code when busy is --busy-exit-code N"},
    {"-c", "a command line for a shell is: LOCK sh -c 'COMMAND'"},
    {"--command", "a command line for a shell is: LOCK sh -c 'COMMAND'"},
    {"-o", "not to pass the lock's descriptor on is --close"},
    {"-F", "to become the command is --exec"},
    {"--no-fork", "to become the command is --exec"},
    {"--lock", "LOCK is the first word after the options"},
    {"--name", "LOCK is the first word after the options"},
    {"--file", "LOCK is the first word after the options"},
    {"--lockfile", "LOCK is the first word after the options"},
    {"--interval", "how soon it may run again is --if-elapsed"},
    {"--every", "how soon it may run again is --if-elapsed"},
    {"--retry", "how long to wait for admission is --wait; a command that failed is not repeated"},
    {"--retries",
     "how long to wait for admission is --wait; a command that failed is not repeated"},
    {"--signal", "INT is sent first, then TERM and KILL: leave it out"},
    {"--background", "a shell starts it in the background: put & behind it"},
    {"--non-block", "atmost does not wait unless --wait says so: leave it out"},
    {"--nb", "atmost does not wait unless --wait says so: leave it out"},
    {"--nonblock", "atmost does not wait unless --wait says so: leave it out"},
    {"--nonblocking", "atmost does not wait unless --wait says so: leave it out"},
    {"-j", "at most N at a time is -n N"},
    {"--jobs", "at most N at a time is -n N"},
    {"--fg", "atmost run waits for its command anyway: leave it out"},
    {"--semaphoretimeout", "how long to wait for admission is --wait"},
    {"--kill-after", "the pause after each signal is --kill-grace"},
    {"--expire", "how old a holder may be is --expire-after, how long idle --expire-idle"},
    {"--foreground", "the command keeps the terminal anyway: leave it out"},
};

// Commands that users of other programs may type.
constexpr Habit kCommandHabits[] = {
    {"stop", "kill"},
    {"abort", "kill"},
    {"terminate", "kill"},
    {"start", "run"},
    {"exec", "run"},
    {"flock", "run"},
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

constexpr std::string_view kOnlyInShells[] = {"cd", "export", "source", ".",    "umask",
                                              "if", "for",    "while",  "eval", "ulimit"};

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

bool differs_in_case_alone(std::string_view typed, std::string_view candidate) {
  if (typed.size() != candidate.size()) return false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const bool upper = typed[i] >= 'A' && typed[i] <= 'Z';
    if (candidate[i] != (upper ? static_cast<char>(typed[i] - 'A' + 'a') : typed[i])) return false;
  }
  return true;
}

}  // namespace

void Nearest::consider(std::string_view candidate) {
  if (candidate.empty()) return;
  if (differs_in_case_alone(typed_, candidate)) misspelt_ = candidate;
  if (misspelt_.empty() && is_misspelling(typed_, candidate)) misspelt_ = candidate;
  if (typed_.size() < kShortestBeginning || !candidate.starts_with(typed_)) return;
  several_ = !begun_.empty();
  begun_ = candidate;
}

std::string_view Nearest::found() const {
  if (!begun_.empty() && !several_) return begun_;
  return misspelt_;
}

void append_meant(Error& error, std::string_view prefix, std::string_view found) {
  if (found.empty()) return;
  error.message.append("; did you mean ").append(prefix).append(found).push('?');
}

std::string_view own_form(std::string_view typed) {
  for (const Habit& habit : kHabits) {
    if (habit.typed == typed) return habit.form;
  }
  return {};
}

std::string_view own_command(std::string_view typed) {
  for (const Habit& habit : kCommandHabits) {
    if (habit.typed == typed) return habit.form;
  }
  return {};
}

bool needs_shell(std::string_view command) {
  if (command.find_first_of(" \t\n;|&<>()$`*?") != std::string_view::npos) return true;
  if (is_assignment(command)) return true;
  for (const std::string_view word : kOnlyInShells) {
    if (word == command) return true;
  }
  return false;
}

}  // namespace atmost::cli
