/* Runs commands for the test that drives this machine: agent PORT. Each connection sends a script
 * for /bin/sh, ended by a NUL; it is answered with what the script writes, then a NUL, its exit
 * code in decimal and a newline. The script runs on if the connection breaks. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char script[1 << 16];

static int receive(int from) {
  size_t size = 0;
  while (size < sizeof script) {
    const ssize_t got = read(from, script + size, sizeof script - size);
    if (got <= 0) return -1;
    size += (size_t)got;
    if (script[size - 1] == '\0') return 0;
  }
  return -1;
}

static int run(int to) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    (void)!freopen("/dev/null", "r", stdin);
    dup2(to, 1);
    dup2(to, 2);
    close(to);
    execl("/bin/sh", "sh", "-c", script, (char*)NULL);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void serve(int connection) {
  if (receive(connection) != 0) _exit(1);
  char end[16] = "";
  const int code = run(connection);
  const int size = snprintf(end + 1, sizeof end - 1, "%d\n", code);
  (void)!write(connection, end, (size_t)size + 1);
  _exit(0);
}

int main(int count, char** words) {
  if (count != 2) return 64;
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const unsigned short port = (unsigned short)atoi(words[1]);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (bind(listening, (struct sockaddr*)&at, sizeof at) != 0 || listen(listening, 64) != 0) {
    perror("agent");
    return 1;
  }
  for (;;) {
    const int connection = accept(listening, NULL, NULL);
    if (connection < 0) continue;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    if (fork() == 0) {
      close(listening);
      serve(connection);
    }
    close(connection);
  }
}
