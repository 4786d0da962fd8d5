// atmost fence: the resource's side of a lock that can be lost. A holder shows the token of its
// admission; a token below the highest one seen is refused.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/parse.h"
#include "core/result.h"
#include "core/words.h"

namespace atmost {
namespace {

constexpr const char* kHelp =
    "usage: atmost fence [--token N] FILE [--] [COMMAND [ARG]...]\n"
    "Accepts the token (default: $ATMOST_TOKEN) if FILE has seen none that is higher, and keeps it "
    "there.\n"
    "With COMMAND: runs it then, and lets nobody else pass the fence meanwhile.\n"
    "Exit codes: 0 accepted (or COMMAND's own), 79 stale: a later holder has been here, 64 usage, "
    "74 cannot "
    "read or\n"
    "write FILE (nothing is accepted then).\n";

// As many digits as the largest token has: the file never changes its length, so that no crash
// leaves half a number.
constexpr int kDigits = 20;

int say(Code code, std::string_view words) {
  Text<1000> line("atmost: ");
  append_escaped(line, words);
  fprintf(stderr, "%s\n", line.c_str());
  return static_cast<int>(code);
}

int trouble(const std::string& file, const char* what) {
  return say(Code::io,
             file + ": " + what + (errno != 0 ? std::string(": ") + strerror(errno) : ""));
}

// The number in the file; false if the file is not ours, so that nothing can be concluded from it.
bool read_highest(int fd, std::uint64_t& to) {
  char text[64];
  const ssize_t got = pread(fd, text, sizeof text, 0);
  to = 0;
  errno = 0;
  if (got == 0) return true;
  if (got != kDigits + 1 || text[kDigits] != '\n') return false;
  std::string_view digits(text, kDigits);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  const Result<std::uint64_t> number = parse_count(digits, 0, UINT64_MAX);
  if (number.ok()) to = number.value();
  return number.ok();
}

bool keep(int fd, std::uint64_t token) {
  char text[kDigits + 2];
  snprintf(text, sizeof text, "%0*llu\n", kDigits, static_cast<unsigned long long>(token));
  return pwrite(fd, text, kDigits + 1, 0) == kDigits + 1 && fdatasync(fd) == 0;
}

// The lock goes with the descriptor, which a command inherits.
int enter(const std::string& file, int& fd) {
  fd = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (fd < 0) return trouble(file, "cannot open it");
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  int done;
  do {
    done = fcntl(fd, F_OFD_SETLKW, &whole);
  } while (done != 0 && errno == EINTR);
  return done == 0 ? 0 : trouble(file, "cannot lock it");
}

int pass(const std::string& file, std::uint64_t token, char** command) {
  int fd = -1;
  if (const int code = enter(file, fd)) return code;
  std::uint64_t highest = 0;
  if (!read_highest(fd, highest))
    return trouble(file, "holds no token; name another file, or remove it");
  if (token < highest) {
    return say(Code::lost, file + ": token " + std::to_string(token) +
                               " is stale: " + std::to_string(highest) + " has been here");
  }
  if (token > highest && !keep(fd, token)) return trouble(file, "cannot keep the token");
  if (command == nullptr) return 0;
  execvp(command[0], command);
  const int error = errno;
  return say(error == ENOENT ? Code::not_found : Code::not_executable,
             std::string(command[0]) + ": " + strerror(error));
}

int run_fence(int argc, char** argv) {
  const char* token_text = getenv("ATMOST_TOKEN");
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string_view word = argv[at];
    if (word == "--help" || word == "-h") return fputs(kHelp, stdout) < 0 ? 74 : 0;
    if (word == "--") {
      ++at;
      break;
    }
    if (word.starts_with("--token=")) {
      token_text = argv[at] + 8;
    } else if (word == "--token" && at + 1 < argc) {
      token_text = argv[++at];
    } else {
      return say(Code::usage,
                 std::string(word) + ": no option of fence: atmost fence --help lists them");
    }
  }
  if (at >= argc || argv[at][0] == '\0')
    return say(Code::usage, "FILE is missing: atmost fence [--token N] FILE");
  if (token_text == nullptr) {
    return say(Code::usage, "there is no token: run this below atmost run, or use --token N");
  }
  const Result<std::uint64_t> token = parse_count(token_text, 1, UINT64_MAX);
  if (!token.ok()) return say(Code::usage, "token: " + std::string(token.error().message.view()));
  char** command = argv + at + 1;
  if (*command != nullptr && std::string_view(*command) == "--") ++command;
  return pass(argv[at], token.value(), *command != nullptr ? command : nullptr);
}

}  // namespace
}  // namespace atmost

int main(int argc, char** argv) { return atmost::run_fence(argc, argv); }
