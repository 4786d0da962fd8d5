// A command that leaves the stage in various ways (matrix_keeps_slot_test.cc). Says where it is by
// making files.
//
//   matrix_actor DIRECTORY [daemon] [close-daemon] [close]
//
// Makes DIRECTORY/pid, waits for a write to the FIFO DIRECTORY/gate, then obeys these words in
// order: daemon leaves a child of a child behind, in its own session, with all descriptors
// (close-daemon: with none) and makes DIRECTORY/daemon with its pid; close closes every descriptor
// and makes DIRECTORY/closed. Then it makes DIRECTORY/ready and waits at the FIFO DIRECTORY/end
// before it exits. Never outlives two minutes.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr unsigned kLifeSeconds = 120;

bool told(char** argv, const char* word) {
  for (char** arg = argv; *arg != nullptr; ++arg) {
    if (strcmp(*arg, word) == 0) return true;
  }
  return false;
}

// Appears complete: written under another name, then renamed.
void make(const char* directory, const char* name, int content) {
  char to[4096];
  char from[4096];
  snprintf(to, sizeof to, "%s/%s", directory, name);
  snprintf(from, sizeof from, "%s/.%s", directory, name);
  const int fd = open(from, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) _exit(99);
  dprintf(fd, "%d\n", content);
  close(fd);
  if (rename(from, to) != 0) _exit(99);
}

void wait_at(const char* directory, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  const int fd = open(path, O_RDONLY);
  char byte = 0;
  if (fd < 0 || read(fd, &byte, 1) < 0) _exit(99);
  close(fd);
}

void close_everything() {
  const long most = sysconf(_SC_OPEN_MAX);
  for (long fd = 0; fd < most; ++fd) close(static_cast<int>(fd));
}

void leave_daemon(const char* directory, bool closed) {
  const pid_t middle = fork();
  if (middle == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    alarm(kLifeSeconds);
    if (closed) close_everything();
    make(directory, "daemon", getpid());
    for (;;) pause();
  }
  int status = 0;
  while (waitpid(middle, &status, 0) < 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 99;
  const char* directory = argv[1];
  alarm(kLifeSeconds);
  make(directory, "pid", getpid());
  wait_at(directory, "gate");
  if (told(argv + 2, "daemon")) leave_daemon(directory, false);
  if (told(argv + 2, "close-daemon")) leave_daemon(directory, true);
  if (told(argv + 2, "close")) close_everything();
  make(directory, "ready", getpid());
  wait_at(directory, "end");
  return 0;
}
