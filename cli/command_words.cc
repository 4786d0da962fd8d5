#include "command_words.h"

#include <cstddef>

#include "place.h"

namespace atmost::cli {
namespace {

// Takes the first word off; false when there is none. A last word that was cut has no NUL and does
// not count: its rest may be anything.
bool next_word(std::string_view& words, std::string_view& word) {
  const std::size_t end = words.find('\0');
  if (end >= words.size()) return false;
  word = {words.data(), end};
  words.remove_prefix(end + 1);
  return true;
}

// Records hold at most 63 bytes of a name.
bool is_labelled(std::string_view word, std::string_view label) {
  constexpr std::size_t kRecorded = 63;
  const std::string_view name = last_part(word);
  return name == label || (label.size() == kRecorded && name.starts_with(label));
}

bool may_be_secret(std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '=' || word[i] == '@') return true;
    if (std::string_view(word.data() + i, word.size() - i).starts_with("://")) return true;
  }
  return false;
}

// A version may follow: python3.11, perl5.36.
bool is_interpreter(std::string_view name) {
  constexpr std::string_view kKnown[] = {"sh",   "bash",   "dash",  "zsh",    "ksh",  "mksh",
                                         "fish", "python", "perl",  "ruby",   "node", "php",
                                         "lua",  "guile",  "tclsh", "Rscript"};
  while (!name.empty() && (name.back() == '.' || (name.back() >= '0' && name.back() <= '9')))
    name.remove_suffix(1);
  for (const std::string_view known : kKnown) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

std::string_view path_of_command(std::string_view words, std::string_view label) {
  std::string_view word;
  if (label.empty()) return {};
  do {
    if (!next_word(words, word)) return {};
  } while (!is_labelled(word, label));
  // A lock may have the command's name and stands before it.
  for (std::string_view rest = words, next; next_word(rest, next) && is_labelled(next, label);) {
    word = next;
    words = rest;
  }
  if (is_interpreter(label) && (!next_word(words, word) || word.starts_with('-'))) return {};
  const bool is_path = word.find('/') < word.size() || is_interpreter(label);
  return !is_path || word.empty() || may_be_secret(word) ? std::string_view() : word;
}

}  // namespace atmost::cli
