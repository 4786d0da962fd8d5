#include "option.h"

#include "table.h"
#include "words.h"

namespace atmost {
namespace {

constexpr bool types_dashes(unsigned taker) { return (taker & kEvery) != 0; }

constexpr char letter_for(unsigned taker, char c) {
  return c == '-' && !types_dashes(taker) ? '_' : c;
}

bool is_name(unsigned taker, std::string_view typed, std::string_view name) {
  if (typed.size() != name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (typed[i] != letter_for(taker, name[i])) return false;
  }
  return true;
}

constexpr bool in_word(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && in_word(text[end])) ++end;
  return {text.data() + at, end - at};
}

// In the order of their bits.
constexpr std::string_view kTakers[] = {
    "run",     "check", "wait", "list",   "drain",   "resume", "forget", "kill",    "hold",
    "release", "tune",  "beat", "doctor", "explain", "pass",   "limit",  "an atom", "the library"};

// The taker's option that may have been meant.
const Option* near_option(std::string_view typed, unsigned taker) {
  if (types_dashes(taker)) {
    if (!typed.starts_with("--")) return nullptr;
    typed.remove_prefix(2);
  }
  Text<64> name;
  for (const char c : typed) name.push(c == letter_for(taker, '-') ? '-' : c);
  Nearest nearest(name);
  for (const Option& option : options::kOptions) {
    if ((option.takers & taker) == 0) continue;
    if (typed.size() == 1 && option.letter == typed[0]) return &option;  // --n
    nearest.consider(option.name);
  }
  for (const Option& option : options::kOptions) {
    if (option.name == nearest.found()) return &option;
  }
  return nullptr;
}

}  // namespace

std::span<const Option> all_options() { return options::kOptions; }

const Option* find_option(std::string_view name, unsigned taker) {
  for (const Option& option : options::kOptions) {
    if ((option.takers & taker) != 0 && is_name(taker, name, option.name)) return &option;
  }
  return nullptr;
}

Text<40> name_for(unsigned taker, const Option& option) {
  Text<40> name(types_dashes(taker) ? "--" : "");
  for (const char c : option.name) name.push(letter_for(taker, c));
  return name;
}

std::string_view heading(Group group) {
  // In their order.
  constexpr std::string_view kHeadings[] = {
      "At most N at a time",  "While it is busy",        "At most once every T",
      "At most for D",        "Limits that are learned", "The command",
      "Output and messages",  "Where locks are kept",    "Answers",
      "For tests and experts"};
  return kHeadings[static_cast<unsigned>(group)];
}

Text<400> help_lines(const Option& option) {
  constexpr std::size_t kMeaning = 31;  // the column of its meaning
  constexpr std::size_t kWidth = 80 - kMeaning;
  Text<400> to("  ");
  if (option.letter != 0) to.push('-').push(option.letter).append(", ");
  while (to.size() < 6) to.push(' ');
  to.append("--").append(option.name);
  if (!option.value.empty()) to.push(' ').append(option.value);
  while (to.size() + 2 < kMeaning) to.push(' ');
  to.append("  ");
  std::string_view rest = option.help;
  while (rest.size() > kWidth) {
    std::size_t end = kWidth;
    while (end > 0 && rest[end] != ' ') --end;
    to.append({rest.data(), end}).push('\n');
    for (std::size_t i = 0; i < kMeaning; ++i) to.push(' ');
    rest.remove_prefix(end + 1);
  }
  return to.append(rest).push('\n');
}

void put_in_words_of(unsigned taker, Error& error) {
  if (types_dashes(taker)) return;
  const Reason words = std::move(error.message);
  const std::string_view all = words;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool begins = i == 0 || all[i - 1] == ' ' || all[i - 1] == '(';
    if (!begins || all[i] != '-' || word_at(all, i).size() < 3 || all[i + 1] != '-') {
      error.message.push(all[i]);
      continue;
    }
    const std::string_view typed = word_at(all, i);
    for (std::size_t j = 2; j < typed.size(); ++j) error.message.push(letter_for(taker, typed[j]));
    i += typed.size() - 1;
    if (i + 1 == all.size() || all[i + 1] != '=') continue;
    const std::string_view value = word_at(all, i + 2);
    error.message.append(" = \"").append(value).push('"');
    i += 1 + value.size();
  }
}

Status set_option(Settings& to, const Option& option, std::string_view value, unsigned taker) {
  const Status stored = option.read(value, to);
  const bool off = option.value.empty() && value == "false";
  to.given[&option - options::kOptions] = off ? Given::no : Given::here;
  if (stored.ok()) return {};
  Error error = error_of(stored.error().code, 0, "--");
  error.message.append(option.name).append(": ").append(stored.error().message);
  put_in_words_of(taker, error);
  return error;
}

Status set_option(Settings& to, std::string_view name, std::string_view value, unsigned taker) {
  if (const Option* option = find_option(name, taker)) return set_option(to, *option, value, taker);
  return no_option(name, taker);
}

Error no_option(std::string_view typed, unsigned taker) {
  const std::string_view whose = kTakers[__builtin_ctz(taker)];
  Error error = error_of(Code::usage, 0, typed);
  error.message.append(": no option of ").append(whose);
  if (const std::string_view instead = own_form(typed); taker == kRun && !instead.empty()) {
    error.message.append(": ").append(instead);
  } else if (const Option* near = near_option(typed, taker)) {
    append_meant(error, "", name_for(taker, *near));
  } else if (types_dashes(taker)) {
    const std::string_view help = taker == kRun ? " --help-all" : " --help";
    error.message.append(": atmost ").append(whose).append(help).append(" lists them");
  }
  return error;
}

}  // namespace atmost
