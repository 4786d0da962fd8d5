// Command lines for the tests of cli/.
#ifndef ATMOST_TESTS_UNIT_CLI_ARGUMENTS_H
#define ATMOST_TESTS_UNIT_CLI_ARGUMENTS_H

#include <memory>
#include <string>
#include <vector>

#include "cli/place.h"
#include "options/combine.h"

namespace atmost::cli {

// A command line read as the program reads it; argv[0] is the subcommand. Keeps its words alive.
class Line {
 public:
  explicit Line(std::vector<std::string> words, unsigned subcommand = kRun)
      : words_(std::move(words)) {
    pointers_.push_back(name_);
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    it->subcommand = subcommand;
    result = read_command_words(static_cast<int>(pointers_.size()) - 1, pointers_.data(), *it);
    if (result.ok()) result = combine(*it, scheme_of(*it), it->subcommand);
  }

  bool ok() const { return result.ok(); }
  std::string error() const {
    return result.ok() ? "" : std::string(result.error().message.view());
  }
  std::vector<std::string> operands() const {
    std::vector<std::string> all;
    for (int i = 0; i < it->operand_count; ++i) all.emplace_back(it->operands[i]);
    return all;
  }
  Request& request() { return it->request; }

  std::unique_ptr<Invocation> it = std::make_unique<Invocation>();
  Status result;

 private:
  char name_[4] = "sub";
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

}  // namespace atmost::cli

#endif
