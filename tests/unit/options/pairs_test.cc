// Every pair of options gets one answer, whoever gives it: a command line, a pass file, a program
// by the library.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "libexec/pass/pass_file.h"
#include "options/combine.h"
#include "options/option.h"

namespace atmost {
namespace {

struct Sample {
  const Option* option;
  std::string value;
};

// Values for each form that an option's value has; several where the rules tell them apart.
std::vector<std::string> values_of(const Option& option) {
  static const std::map<std::string_view, std::vector<std::string>> kValues = {
      {"", {"true", "false"}},
      {"N", {"0", "3", "12x"}},
      {"N|cpus", {"0", "3", "12x"}},
      {"K", {"1", "5"}},
      {"M", {"0", "7"}},
      {"DUR", {"0", "5m", "inf", "5x"}},
      {"DUR|auto", {"0", "1s", "2h", "inf", "auto"}},
      {"K/DUR", {"5/1m", "0/1m"}},
      {"TIME", {"1700000000"}},
      {"COUNT", {"0", "4"}},
      {"SIZE", {"64K", "1K"}},
      {"COMMAND", {"true"}},
      {"LIST", {"failure,lost", "never"}},
      {"URL|@FILE", {"https://example.com/x", "ftp://x"}},
      {"WHEN", {"show", "on-failure", "tail", "never"}},
      {"ACTION", {"fail", "skip", "replace", "join", "supersede", "wait", "warn"}},
      {"POINT", {"success", "end"}},
      {"[N@]LOCK", {"2@other"}},
      {"TEXT", {"note"}},
      {"OCTAL", {"660", "888"}},
      {"FILE", {"/tmp/log"}},
      {"URL", {"file:", "symlink:", "ftp:"}},
      {"DIR", {"/tmp"}},
      {"NAME", {"mars", "a/b"}},
  };
  const auto found = kValues.find(option.value);
  EXPECT_NE(found, kValues.end()) << option.name << " has a value of a new form: " << option.value;
  return found == kValues.end() ? std::vector<std::string>{} : found->second;
}

using Two = std::vector<Sample>;

std::string in_key_words(std::string_view words) {
  Error error = error_of(Code::usage, 0, words);
  put_in_words_of(kLibrary, error);
  return std::string(error.message.view());
}

// Only a fleet has leases.
std::string_view store_for(const Two& two) {
  for (const Sample& one : two) {
    if (one.option->name == "ttl") return "etcd://host/jobs";
  }
  return {};
}

// Empty: they are taken. Else the error, in the words of a program.
std::string ask_run(const Two& two) {
  std::vector<std::string> words;
  for (const Sample& one : two) {
    if (one.option->value.empty() && one.value == "false") continue;
    words.push_back("--" + std::string(one.option->name));
    if (!one.option->value.empty()) words.push_back(one.value);
  }
  if (!store_for(two).empty()) words.push_back("--store=" + std::string(store_for(two)));
  words.emplace_back("lock");
  return in_key_words(cli::Line(words).error());
}

std::string ask_pass(const Two& two) {
  std::string text = "[[atom]]\noperator = \"a\"\noperand = \"x\"\ncommand = [\"true\"]\n";
  for (const Sample& one : two) {
    const std::string_view form = one.option->value;
    const std::string quoted = "\"" + one.value + "\"";
    text += std::string(name_for(kAtom, *one.option).view()) + " = ";
    if (form.empty() || ((form == "N" || form == "COUNT") && one.value != "12x")) {
      text += one.value;
    } else if (form == "LIST") {
      const std::size_t comma = quoted.find(',');
      text +=
          "[" +
          (comma == quoted.npos ? quoted
                                : quoted.substr(0, comma) + "\", \"" + quoted.substr(comma + 1)) +
          "]";
    } else {
      text += quoted;
    }
    text += "\n";
  }
  pass::PassFile file;
  std::vector<pass::Remark> faults, remarks;
  pass::read_pass_file(text, file, faults, remarks);
  if (!faults.empty()) return faults[0].words;
  if (store_for(two).empty()) return "";
  const auto settings = std::make_unique<Settings>();  // as before it runs in a fleet
  Status fit = pass::set_words(file.atoms.at(0).words, *settings);
  if (fit.ok()) fit = combine(*settings, *scheme_of(store_for(two)), kAtom);
  return fit.ok() ? "" : std::string(fit.error().message.view());
}

std::string ask_library(const Two& two) {
  const auto settings = std::make_unique<Settings>();
  for (const Sample& one : two) {
    const Status set = set_option(*settings, name_for(kLibrary, *one.option), one.value, kLibrary);
    if (!set.ok()) return std::string(set.error().message.view());
  }
  const Status fit = combine(*settings, scheme_of(*settings), kLibrary);
  return fit.ok() ? "" : std::string(fit.error().message.view());
}

// The necessary differences of the two: a form that TOML itself refuses, options that only the
// library lacks, and its K, which does not wait for a limit of record.
bool is_excepted(const Two& two, unsigned taker) {
  for (const Sample& one : two) {
    if (taker == kAtom && one.value == "12x") return true;
    if (taker == kLibrary && (one.value == "skip" || one.option->name == "take")) return true;
  }
  return false;
}

std::string shown(const Two& two) {
  std::string all;
  for (const Sample& one : two) all += std::string(one.option->name) + "=" + one.value + " ";
  return all;
}

void expect_one_answer(unsigned taker, std::string (*ask)(const Two&)) {
  std::vector<Sample> samples;
  for (const Option& option : all_options()) {
    if ((option.takers & taker) == 0 || (option.takers & kRun) == 0) continue;
    for (const std::string& value : values_of(option)) samples.push_back({&option, value});
  }
  unsigned pairs = 0, refused = 0;
  for (const Sample& one : samples) {
    for (const Sample& other : samples) {
      const Two two = {one, other};
      if (one.option >= other.option || is_excepted(two, taker)) continue;
      const std::string wanted = ask_run(two);
      EXPECT_EQ(ask(two), wanted) << shown(two);
      ++pairs;
      if (!wanted.empty()) ++refused;
    }
  }
  EXPECT_GT(refused, 100u) << "the samples break too few rules";
  EXPECT_GT(pairs, 2 * refused / 3);
  std::printf("%u pairs, %u of them refused\n", pairs, refused);
}

TEST(OptionPairs, GetOneAnswerFromRunAndAPassFile) { expect_one_answer(kAtom, ask_pass); }

TEST(OptionPairs, GetOneAnswerFromRunAndTheLibrary) { expect_one_answer(kLibrary, ask_library); }

}  // namespace
}  // namespace atmost
