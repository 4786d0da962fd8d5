#include "reader/failure.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "reader/safe_text.h"

namespace atmost::history {

void complain(const std::string& message) {
  const std::string words = escaped(message);
  std::fprintf(stderr, "atmost: %s\n", words.c_str());
}

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Failure(Code::io, std::string("standard output: cannot write: ") + std::strerror(errno));
  }
}

int print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  finish_output();
  return 0;
}

int run_guarded(int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Failure& failure) {
    complain(failure.what());
    return static_cast<int>(failure.code);
  }
}

}  // namespace atmost::history
