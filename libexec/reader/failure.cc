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
    throw Failure(Code::io, std::string("cannot write: ") + std::strerror(errno));
  }
}

}  // namespace atmost::history
