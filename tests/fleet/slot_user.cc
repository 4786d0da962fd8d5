// A command that uses slots: slot_user SOCKET. It tells the witness which slots and which token it
// was given, says every few milliseconds that it is still there, stays as long as it is told,
// whoever else wants it to go (SIGINT and SIGTERM are ignored: only SIGKILL, before its lease ends,
// is left), and ends. Exit code: 42 when it was refused for a stale token, 43 when there is no
// witness. Static, and its clock the kernel's: no preloaded library reaches it.
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr int kSignMs = 10;

double now() {
  timespec at = {};
  clock_gettime(CLOCK_BOOTTIME, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9;
}

// The milliseconds to stay; less than nothing: refused.
int ask(int fd, const char* line, int size) {
  char answer[16] = {};
  if (send(fd, line, static_cast<size_t>(size), MSG_NOSIGNAL) < 0) _exit(43);
  if (recv(fd, answer, sizeof answer - 1, 0) <= 0) _exit(43);
  return answer[0] == 's' ? -1 : atoi(answer);
}

}  // namespace

int main(int argc, char** argv) {
  const double begun = now();
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  const char* slots = getenv("ATMOST_SLOTS");
  const char* token = getenv("ATMOST_TOKEN");
  const char* asked = getenv("WITNESS_ASKED");
  const char* host = getenv("WITNESS_HOST");
  if (argc != 2 || slots == nullptr || token == nullptr || asked == nullptr || host == nullptr)
    return 64;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 43;
  char line[512];
  int size = snprintf(line, sizeof line, "begin %s %s %d %d %s %s %.9f\n", slots, token, getpid(),
                      getpgrp(), host, asked, begun);
  int stay = ask(fd, line, size);
  if (stay < 0) return 42;
  for (double left; (left = begun + stay / 1000.0 - now()) > 0;) {
    poll(nullptr, 0, left * 1000 < kSignMs ? static_cast<int>(left * 1000) + 1 : kSignMs);
    size = snprintf(line, sizeof line, "use %.9f\n", now());
    stay = ask(fd, line, size);
    if (stay < 0) return 42;
  }
  size = snprintf(line, sizeof line, "end %.9f\n", now());
  (void)send(fd, line, static_cast<size_t>(size), MSG_NOSIGNAL);
  return 0;
}
