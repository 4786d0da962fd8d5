/* Counts the commands of each lock that run, on the server's machine: witness PORT FILE.
 *
 * A command (sign.c) connects, sends "LOCK N ID TOKEN\n", is answered with one byte when it is
 * counted, and counts until its connection ends, which the kernel sees to if it is killed. FILE
 * gets a line for each change: "in|out NANOSECONDS LOCK N ID HELD TOKEN", HELD after it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 256 };

struct Running {
  char lock[64];
  char id[64];
  char token[32]; /* of its admission, as the command was told; "-" if it was not */
  int limit;
};

static struct pollfd sockets[MOST + 1];
static struct Running running[MOST + 1];
static int count = 1; /* sockets[0] listens */
static FILE* file;

static int held(const char* lock) {
  int sum = 0;
  for (int i = 1; i < count; ++i) sum += running[i].limit > 0 && strcmp(running[i].lock, lock) == 0;
  return sum;
}

static void note(const char* what, const struct Running* one) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  fprintf(file, "%s %lld %s %d %s %d %s\n", what, now.tv_sec * 1000000000LL + now.tv_nsec, one->lock,
          one->limit, one->id, held(one->lock), one->token);
  fflush(file);
}

static void leave(int i) {
  const struct Running gone = running[i];
  close(sockets[i].fd);
  --count;
  sockets[i] = sockets[count];
  running[i] = running[count];
  if (gone.limit > 0) note("out", &gone);
}

static void hear(int i) {
  char line[256];
  const ssize_t got = read(sockets[i].fd, line, sizeof line - 1);
  if (got <= 0) {
    leave(i);
    return;
  }
  line[got] = '\0';
  if (running[i].limit != 0 || sscanf(line, "%63s %d %63s %31s", running[i].lock, &running[i].limit,
                                      running[i].id, running[i].token) != 4)
    abort();
  note("in", &running[i]);
  if (write(sockets[i].fd, "+", 1) != 1) leave(i);
}

int main(int argc, char** argv) {
  if (argc != 3 || (file = fopen(argv[2], "w")) == NULL) return 64;
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1]))};
  const int one = 1;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (struct sockaddr*)&at, sizeof at) != 0 || listen(listener, 100) != 0) return 71;
  sockets[0] = (struct pollfd){listener, POLLIN, 0};
  for (;;) {
    if (poll(sockets, (nfds_t)count, -1) < 0) return 71;
    /* Ends before beginnings: an end is sent before the lock is free. */
    for (int i = count - 1; i > 0; --i)
      if (sockets[i].revents & (POLLHUP | POLLRDHUP | POLLERR)) leave(i);
    for (int i = count - 1; i > 0; --i)
      if (sockets[i].revents & POLLIN) {
        sockets[i].revents = 0;
        hear(i);
      }
    if (sockets[0].revents == 0 || count > MOST) continue;
    sockets[count] = (struct pollfd){accept(listener, NULL, NULL), POLLIN | POLLRDHUP, 0};
    running[count].limit = 0;
    if (sockets[count].fd >= 0) ++count;
  }
}
