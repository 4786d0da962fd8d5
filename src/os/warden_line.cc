#include "warden_line.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "calls.h"
#include "file.h"

namespace atmost::os {
namespace {

bool is_pipe(int fd) {
  struct stat facts;
  return calls.fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode);
}

bool never_waits(int fd) { return calls.control(fd, F_SETFL, O_NONBLOCK) == 0; }

bool keep(int fd) { return calls.control(fd, F_SETFD, FD_CLOEXEC) == 0; }

}  // namespace

int WardenLine::open() {
  if (const int error = open_pipe(reader_, writer_)) return error;
  return never_waits(reader_.get()) && never_waits(writer_.get()) ? 0 : errno;
}

bool WardenLine::accept(int reader, int writer) {
  if (reader == writer || !is_pipe(reader) || !is_pipe(writer)) return false;
  reader_ = Fd(reader);
  writer_ = Fd(writer);
  return keep(reader) && keep(writer);
}

void WardenLine::say(Word word) const {
  if (!writer_.open()) return;
  const char letter = static_cast<char>(word);
  while (calls.write(writer_.get(), &letter, 1) < 0 && errno == EINTR) {
  }
}

Word WardenLine::heard() const {
  char letters[8];
  ssize_t got;
  do {
    got = calls.read(reader_.get(), letters, sizeof letters);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return Word::none;
  return letters[got - 1] == static_cast<char>(Word::running) ? Word::running : Word::ended;
}

}  // namespace atmost::os
