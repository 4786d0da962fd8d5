#include "../request_pipe.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "../calls.h"
#include "../clock.h"
#include "../file.h"
#include "../terminal.h"

namespace atmost::os {
namespace {

// A pipe with its ends at these numbers, whatever was there; -1: that end is closed.
int pipe_at(int read_at, int write_at) {
  int ends[2];
  if (calls.open_pipe_at_once(ends) != 0) return errno;
  int error = 0;
  if (read_at >= 0 && calls.dup_private(ends[0], read_at) < 0) error = errno;
  if (error == 0 && write_at >= 0 && calls.dup_private(ends[1], write_at) < 0) error = errno;
  calls.close(ends[0]);
  calls.close(ends[1]);
  return error;
}

}  // namespace

int RequestPipe::hang() {
  // The writing end stays open too: without a writer the pipe would be at its end for ever after
  // the first asker.
  int error = pipe_at(kAsk, kAskStaysOpen);
  if (error == 0) error = pipe_at(-1, kAnswer);
  if (error != 0) return error;
  // Two processes of the same number do not start in the same microsecond.
  constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
  auto rest = static_cast<std::uint64_t>(now().real_ns / 1000);
  for (int i = 0; i < 11; ++i, rest /= kLetters.size())
    name_.push(kLetters[rest % kLetters.size()]);
  return 0;
}

Text<63> RequestPipe::address(std::int64_t pid) const {
  Text<63> address(name_);
  address.push(' ').append_signed(pid);
  return address;
}

int append_to(const char* path, const void* from, std::size_t size) {
  // The reader may have gone meanwhile, and nothing here may block.
  const Fd file(
      calls.openat(AT_FDCWD, path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0));
  return file.open() ? write_stream(file.get(), from, size) : errno;
}

char RequestPipe::asked() const {
  char line[96];
  const ssize_t got = calls.read(kAsk, line, sizeof line);
  if (got < 2) return '\0';
  Text<80> expected;
  expected.push(line[0]).push(' ').append(address(calls.getpid())).push('\n');
  return expected.view() == std::string_view(line, static_cast<std::size_t>(got)) ? line[0] : '\0';
}

void RequestPipe::accept() { answered_ = calls.write(kAnswer, "\n", 1) == 1; }

bool RequestPipe::decline() {
  answered_ = false;
  return pipe_at(-1, kAnswer) == 0;  // the asker reads the end of the stream
}

bool RequestPipe::unread() const {
  int bytes = 0;
  return calls.ioctl(kAnswer, FIONREAD, &bytes) != 0 || bytes > 0;
}

}  // namespace atmost::os
