#include "words.h"

#include "core/parse.h"
#include "core/words.h"
#include "option.h"

namespace atmost {
namespace {

Error about(std::string_view option, std::string_view what) {
  Error error = error_of(Code::usage, 0, option);
  error.message.append(": ").append(what);
  return error;
}

// flock(1) -n LOCK takes no number.
void append_flock_form(Error& error, const Option& option, std::string_view value) {
  if (option.letter == 'n' && !value.empty() && value.find_first_of("0123456789") != 0 &&
      value.find_first_of("0123456789") != 1)
    error.message.append("; atmost does not wait unless --wait says so, as flock(1) with -n");
}

// This option of flock(1) and timeout(1) could mean either of two things; atmost does not guess.
Error two_timeouts() {
  return about(
      "--timeout",
      "means two things: use --wait for how long to wait for admission, or --max-runtime for "
      "how long the command may run");
}

// -n=4: only long options have one.
Error value_after_equals(const Option& option, std::string_view rest) {
  const char typed[] = {'-', option.letter};
  Error error = about({typed, sizeof typed}, "a letter takes its value without =: ");
  error.message.append({typed, sizeof typed}).append({rest.data() + 1, rest.size() - 1});
  return error;
}

// The value of an assignment or option may be a secret, and is left out.
std::string_view shown(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::size_t end = equals == std::string_view::npos ? word.size() : equals + 1;
  return {word.data(), whole_characters({word.data(), end}, 60)};
}

class Reader {
 public:
  Reader(int argc, char* const* argv, Settings& to, unsigned taker)
      : argc_(argc), argv_(argv), to_(to), taker_(taker) {}

  Result<int> read() {
    for (at_ = 1; at_ < argc_; ++at_) {
      const std::string_view word = argv_[at_];
      if (word == "--") {
        ++at_;
        break;
      }
      if (begins_with_dash(word)) return not_a_hyphen(word);
      if (word.size() < 2 || word[0] != '-') break;
      const Status read =
          word[1] == '-' ? long_option({word.data() + 2, word.size() - 2}) : letters(word);
      if (!read.ok()) return read.error();
    }
    return at_ < argc_ ? at_ : argc_;
  }

 private:
  Status long_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name{word.data(),
                                equals == std::string_view::npos ? word.size() : equals};
    if (name == "timeout") return two_timeouts();
    const Option* option = find_option(name, taker_);
    if (option == nullptr) return no_option(Text<300>("--").append(name), taker_);
    if (equals == std::string_view::npos) return take(*option, {}, false);
    return take(*option, {word.data() + equals + 1, word.size() - equals - 1}, true);
  }

  // -qn4: letters without a value, the last with one, which is the rest or the next word.
  Status letters(std::string_view word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Option* found = nullptr;
      for (const Option& option : all_options()) {
        if (option.letter == word[i]) found = &option;
      }
      const char letter[] = {'-', word[i]};
      const std::string_view typed{letter, sizeof letter};
      // A letter may be another program's option and that of another subcommand.
      const bool taken = found != nullptr && (found->takers & taker_) != 0;
      if (found == nullptr || (!taken && !own_form(typed).empty())) return no_option(typed, taker_);
      const std::string_view rest{word.data() + i + 1, word.size() - i - 1};
      const bool attached = !found->value.empty() && !rest.empty();
      if (attached && rest[0] == '=') return value_after_equals(*found, rest);
      const Status read = take(*found, attached ? rest : std::string_view{}, attached);
      if (!read.ok()) return read;
      if (attached) break;
    }
    return {};
  }

  Status take(const Option& option, std::string_view value, bool attached) {
    const Text<40> typed = name_for(taker_, option);
    if ((option.takers & taker_) == 0) return no_option(typed, taker_);
    if (option.value.empty() && attached) return about(typed, "takes no value");
    if (!option.value.empty() && !attached) {
      if (at_ + 1 >= argc_) {
        Error error = about(typed, "needs a value: ");
        error.message.append(option.value);
        return error;
      }
      value = argv_[++at_];
    }
    const Status stored = set_option(to_, option, value, taker_);
    if (stored.ok()) return {};
    Error error = stored.error();
    append_flock_form(error, option, value);
    return error;
  }

  int argc_;
  char* const* argv_;
  Settings& to_;
  unsigned taker_;
  int at_ = 1;
};

}  // namespace

Result<int> read_words(int argc, char* const* argv, Settings& to, unsigned taker) {
  return Reader(argc, argv, to, taker).read();
}

void append_shown(Error& error, std::string_view word) {
  const std::string_view part = shown(word);
  error.message.append(part).append(part.size() < word.size() ? "..." : "");
}

bool begins_with_dash(std::string_view word) {
  if (word.size() < 3 || word[0] != '\xe2') return false;
  if (word[1] == '\x88') return word[2] == '\x92';
  return word[1] == '\x80' && word[2] >= '\x90' && word[2] <= '\x95';
}

Error not_a_hyphen(std::string_view word) {
  Error error = error_of(Code::usage, 0, "\"");
  append_shown(error, word);
  error.message.append("\" begins with a dash that is not a hyphen: type ");
  word.remove_prefix(3);
  // Programs that replace hyphens make one dash of two.
  error.message.append(word.size() == 1 ? "-" : "--");
  append_shown(error, word);
  return error;
}

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
