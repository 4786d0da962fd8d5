#include "words.h"

#include "core/parse.h"

namespace atmost {
namespace {

constexpr std::size_t kShortestBeginning = 3;

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

namespace {

struct Habit {
  std::string_view typed;
  std::string_view form;
};

// The options of util-linux flock(1), coreutils timeout(1), GNU parallel's sem and run-one that
// users may type, and the beginning that two options have in common, where atmost has no option of
// that name.
constexpr Habit kHabits[] = {
    {"-x", "a lock for one writer, which excludes readers with --shared, is --exclusive"},
    {"-e", "a lock for one writer, which excludes readers with --shared, is --exclusive"},
    {"-s", "a lock that readers share is --shared, and their writer takes --exclusive"},
    {"-u", "a lock is released when its command ends; one taken by hold: atmost release LOCK"},
    {"--unlock",
     "a lock is released when its command ends; one taken by hold: atmost release LOCK"},
    {"-E", "the exit code when busy is --busy-exit-code N"},
    {"--conflict-exit-code", "the exit code when busy is --busy-exit-code N"},
    {"-c", "a command line for a shell is: LOCK sh -c 'COMMAND'"},
    {"--command", "a command line for a shell is: LOCK sh -c 'COMMAND'"},
    {"-o", "--close keeps the lock's descriptor from the command"},
    {"-F", "use --exec, which becomes the command"},
    {"--no-fork", "use --exec, which becomes the command"},
    {"--lock", "LOCK is the first word after the options"},
    {"--name", "LOCK is the first word after the options"},
    {"--file", "LOCK is the first word after the options"},
    {"--lockfile", "LOCK is the first word after the options"},
    {"--interval", "--if-elapsed sets how soon it may run again"},
    {"--every", "--if-elapsed sets how soon it may run again"},
    {"--retry",
     "--wait sets how long to wait for admission; a command that failed is not repeated"},
    {"--retries",
     "--wait sets how long to wait for admission; a command that failed is not repeated"},
    {"--signal", "INT is sent first, then TERM and KILL: leave it out"},
    {"--background", "a shell starts it in the background: put & behind it"},
    {"--non-block", "atmost does not wait unless --wait says so: leave it out"},
    {"--nb", "atmost does not wait unless --wait says so: leave it out"},
    {"--nonblock", "atmost does not wait unless --wait says so: leave it out"},
    {"--nonblocking", "atmost does not wait unless --wait says so: leave it out"},
    {"-j", "at most N at a time is -n N"},
    {"-P", "at most N at a time is -n N"},
    {"--jobs", "at most N at a time is -n N"},
    {"--limit", "at most N at a time is -n N"},
    {"--parallel", "at most N at a time is -n N"},
    {"--skip", "a caller that gives up silently when busy is --on-busy=skip"},
    {"--replace", "a caller that stops the oldest holder is --on-busy=replace"},
    {"--no-memory", "a run from which auto does not learn is --no-learn"},
    {"--fg", "atmost run waits for its command anyway: leave it out"},
    {"--semaphoretimeout", "--wait sets how long to wait for admission"},
    {"--kill-after", "the pause after each signal is --kill-grace"},
    {"--expire", "--expire-after limits a holder's age, --expire-idle its silence"},
    {"--foreground", "the command keeps the terminal anyway: leave it out"},
};

}  // namespace

std::string_view own_form(std::string_view typed) {
  for (const Habit& habit : kHabits) {
    if (habit.typed == typed) return habit.form;
  }
  return {};
}

}  // namespace atmost
