// Any words: no crash, and a usage error of one sentence or a request within its bounds.
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/place.h"
#include "options/combine.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace atmost::cli;
  if (size < 1) return 0;
  std::vector<std::string> words = {"subcommand"};
  for (std::size_t i = 1; i < size; ++i) {
    if (data[i] == '\n' || i == 1) words.emplace_back();
    if (data[i] != '\n' && data[i] != '\0') words.back() += static_cast<char>(data[i]);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto it = std::make_unique<Invocation>();
  it->subcommand = 1u << (data[0] % 9);
  const int argc = static_cast<int>(argv.size()) - 1;
  atmost::Status read = read_command_words(argc, argv.data(), *it);
  if (read.ok()) read = combine(*it, scheme_of(*it), it->subcommand);
  if (!read.ok()) {
    if (read.error().code != atmost::Code::usage || read.error().message.empty()) std::abort();
    return 0;
  }
  const atmost::LockSpec& lock = it->request.locks[0];
  if (lock.max > atmost::kMaxSlots || lock.take < 1 || (lock.max > 0 && lock.take > lock.max))
    std::abort();
  if (it->operand_count < 0 || it->operand_count >= argc ||
      it->operands[it->operand_count] != nullptr)
    std::abort();
  if (it->request.wait.ns < 0 || it->busy_exit_code < 0 || it->busy_exit_code > 255) std::abort();
  return 0;
}
