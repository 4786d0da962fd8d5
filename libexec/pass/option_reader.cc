#include "read_file.h"

#include "options/combine.h"
#include "os/self.h"

namespace atmost::pass {
namespace {

// The key that an error about options begins with.
std::string key_of(const Error& error) {
  const std::string_view words = error.message;
  return std::string(words.substr(0, words.find_first_not_of("abcdefghijklmnopqrstuvwxyz_")));
}

std::string key_of(const Option& option) { return std::string(name_for(kAtom, option).view()); }

std::string message_of(const Status& wrong) { return std::string(wrong.error().message.view()); }

}  // namespace

std::vector<std::string> with_option_keys(std::vector<std::string> keys) {
  for (const Option& option : all_options()) {
    if ((option.takers & kAtom) != 0) keys.push_back(key_of(option));
  }
  return keys;
}

Status set_words(const std::vector<OptionValue>& words, Settings& to) {
  to = {};
  to.processors = os::processors;
  for (const OptionValue& word : words) {
    if (const Status set = set_option(to, *word.option, word.value, kAtom); !set.ok()) return set;
  }
  return {};
}

void OptionReader::read_defaults(TableReader& table) {
  read(table, defaults_);
  for (const OptionValue& word : defaults_) places_[word.option] = table.at(key_of(*word.option));
}

std::vector<OptionValue> OptionReader::read_atom(TableReader& table) {
  borrowed_.clear();
  (void)set_words(defaults_, *settings_);  // each was right
  for (Given& given : settings_->given) given = given == Given::no ? given : Given::for_all;
  std::vector<OptionValue> words = defaults_;
  if (read(table, words)) check(table);
  return words;
}

// False: a value is wrong.
bool OptionReader::read(TableReader& table, std::vector<OptionValue>& to) {
  bool right = true;
  for (const Option& option : all_options()) {
    const std::string key = key_of(option);
    if ((option.takers & kAtom) == 0 || !table.has(key)) continue;
    std::string value;
    if (!table.value(option, value)) {
      right = false;
    } else if (const Status set =
                   set_option(*settings_, option, borrowed_.emplace_back(value), kAtom);
               set.ok()) {
      to.push_back({&option, value});
    } else {
      faults_.push_back({table.at(key), message_of(set)});
      right = false;
    }
  }
  return right;
}

void OptionReader::check(TableReader& table) {
  const Status fit = check_rules(*settings_, kSchemes[0], kAtom);
  if (fit.ok()) return note_uses();
  const std::string words = message_of(fit);
  // The place of the key with which the words begin, or else of another key that they name.
  SourcePlace at = table.at();
  for (const Option& option : all_options()) {
    const std::string key = key_of(option);
    if (table.has(key) && words.find(key) != words.npos) at = table.at(key);
  }
  if (table.has(key_of(fit.error()))) at = table.at(key_of(fit.error()));
  faults_.push_back({at, words});
}

void OptionReader::note_uses() {
  for (const OptionValue& word : defaults_) {
    Given& given = settings_->given[word.option - all_options().data()];
    if (given != Given::for_all) continue;
    given = Given::here;
    const Status alone = check_rules(*settings_, kSchemes[0], kAtom);
    given = Given::for_all;
    if (alone.ok() || key_of(alone.error()) != key_of(*word.option)) {
      used_.insert(word.option);
    } else {
      useless_[word.option] = message_of(alone);
    }
  }
}

void OptionReader::refuse_useless() {
  for (const auto& [option, words] : useless_) {
    if (!used_.contains(option)) faults_.push_back({places_[option], words});
  }
}

}  // namespace atmost::pass
