#include "options.h"

#include "core/text.h"
#include "suggest.h"

namespace atmost::cli {
namespace {

Error about(std::string_view option, std::string_view what) {
  Error error = error_of(Code::usage, 0, option);
  error.message.append(": ").append(what);
  return error;
}

std::string_view subcommand_name(unsigned subcommand) {
  constexpr std::string_view kNames[] = {"run",    "check", "wait", "list",    "drain", "resume",
                                         "forget", "kill",  "hold", "release", "tune",  "beat"};
  for (unsigned i = 0; i < 12; ++i) {
    if (subcommand == 1u << i) return kNames[i];
  }
  return "this";
}

// The option of this subcommand that may have been meant by a long one.
std::string_view near_option(std::string_view typed, unsigned subcommand) {
  if (!typed.starts_with("--")) return {};
  Nearest nearest({typed.data() + 2, typed.size() - 2});
  for (const Option& option : options()) {
    if ((option.subcommands & subcommand) == 0) continue;
    if (typed.size() == 3 && option.letter == typed[2]) return option.name;  // --n
    nearest.consider(option.name);
  }
  return nearest.found();
}

Error not_taken(std::string_view typed, unsigned subcommand) {
  const std::string_view name = subcommand_name(subcommand);
  Error error = error_of(Code::usage, 0, typed);
  error.message.append(": no option of ").append(name);
  const std::string_view form = subcommand == kRun ? own_form(typed) : std::string_view{};
  const std::string_view near = near_option(typed, subcommand);
  if (!form.empty()) {
    error.message.append(": ").append(form);
  } else if (!near.empty()) {
    append_meant(error, "--", near);
  } else {
    error.message.append(": atmost ").append(name).append(" --help lists them");
  }
  return error;
}

// flock(1) -n LOCK takes no number.
void append_flock_form(Error& error, const Option& option, std::string_view value) {
  if (option.letter == 'n' && !value.empty() && value.find_first_of("0123456789") != 0 &&
      value.find_first_of("0123456789") != 1)
    error.message.append("; not to wait, as -n of flock(1), is what atmost does anyway");
}

// The actions of --on-busy are for after the wait.
void append_wait_form(Error& error, const Option& option, std::string_view value) {
  if (option.name == "on-busy" && (value == "wait" || value == "block"))
    error.message.append("; how long to wait for admission is --wait");
}

// This option of flock(1) and timeout(1) could mean either of two things; atmost does not guess.
Error two_timeouts() {
  return about(
      "--timeout",
      "means two things: use --wait for how long to wait for admission, or --max-runtime for "
      "how long the command may run");
}

class Reader {
 public:
  Reader(int argc, char* const* argv, Invocation& to) : argc_(argc), argv_(argv), to_(to) {}

  Status read() {
    for (at_ = 1; at_ < argc_; ++at_) {
      const std::string_view word = argv_[at_];
      if (word == "--") {
        ++at_;
        break;
      }
      if (word.size() < 2 || word[0] != '-') break;
      const Status read =
          word[1] == '-' ? long_option({word.data() + 2, word.size() - 2}) : letters(word);
      if (!read.ok()) return read;
    }
    to_.operands = argv_ + (at_ < argc_ ? at_ : argc_);
    to_.operand_count = at_ < argc_ ? argc_ - at_ : 0;
    return {};
  }

 private:
  Status long_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name{word.data(),
                                equals == std::string_view::npos ? word.size() : equals};
    if (name == "timeout") return two_timeouts();
    for (const Option& option : options()) {
      if (option.name != name && (name.empty() || option.old_name != name)) continue;
      if (equals == std::string_view::npos) return take(option, {}, false);
      return take(option, {word.data() + equals + 1, word.size() - equals - 1}, true);
    }
    Text<300> typed("--");
    return not_taken(typed.append(name), to_.subcommand);
  }

  // -qn4: letters without a value, the last with one, which is the rest or the next word.
  Status letters(std::string_view word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Option* found = nullptr;
      for (const Option& option : options()) {
        if (option.letter == word[i]) found = &option;
      }
      if (found == nullptr) {
        Text<8> typed("-");
        return not_taken(typed.push(word[i]), to_.subcommand);
      }
      const std::string_view rest{word.data() + i + 1, word.size() - i - 1};
      const bool attached = !found->value.empty() && !rest.empty();
      if (const Status taken = take(*found, rest, attached); !taken.ok()) return taken;
      if (attached) break;
    }
    return {};
  }

  Status take(const Option& option, std::string_view value, bool attached) {
    Text<40> typed("--");
    typed.append(option.name);
    if ((option.subcommands & to_.subcommand) == 0) return not_taken(typed, to_.subcommand);
    if (option.value.empty() && attached) return about(typed, "takes no value");
    if (!option.value.empty() && !attached) {
      if (at_ + 1 >= argc_) {
        Error error = about(typed, "needs a value: ");
        error.message.append(option.value);
        return error;
      }
      value = argv_[++at_];
    }
    to_.given[&option - options().data()] = true;
    if (const Status stored = option.read(value, to_); !stored.ok()) {
      Error error = about(typed, stored.error().message);
      error.code = stored.error().code;
      append_flock_form(error, option, value);
      append_wait_form(error, option, value);
      return error;
    }
    return {};
  }

  int argc_;
  char* const* argv_;
  Invocation& to_;
  int at_ = 1;
};

}  // namespace

Status read_options(int argc, char* const* argv, Invocation& to) {
  return Reader(argc, argv, to).read();
}

}  // namespace atmost::cli
