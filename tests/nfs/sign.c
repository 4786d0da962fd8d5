/* The command of a lock in the tests: shows until when it ran, outside of our records.
 *
 *   sign FILE                           until it is stopped; until FILE.end exists
 *   sign FILE ADDRESS PORT LOCK N ID MS for MS milliseconds; the witness there counts it meanwhile
 *
 * FILE, on the machine itself, has "FIRST LAST": when the first and the last sign were written,
 * in nanoseconds of the machine's clock. A sign is written each 20 ms. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Higher than any descriptor that is inherited: a process that is killed closes the highest one
 * first, so the witness sees its end before the server frees the lock. */
enum { HIGH = 1000 };

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void enter(char** argv) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1]))};
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  char line[256];
  const char* token = getenv("ATMOST_TOKEN");
  const int size = snprintf(line, sizeof line, "%s %s %s %s\n", argv[2], argv[3], argv[4],
                            token != NULL ? token : "-");
  if (inet_pton(AF_INET, argv[0], &to.sin_addr) != 1 ||
      connect(connection, (struct sockaddr*)&to, sizeof to) != 0 ||
      dup2(connection, HIGH) != HIGH || write(HIGH, line, (size_t)size) != size ||
      read(HIGH, line, 1) != 1) {
    perror("sign: the witness");
    exit(99);
  }
  close(connection);
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 8) return 64;
  char end[256];
  snprintf(end, sizeof end, "%s.end", argv[1]);
  const int file = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return 73;
  if (argc == 8) enter(argv + 2);
  const long long first = now_ns();
  const long long last = argc == 8 ? first + atoll(argv[7]) * 1000000 : 0;
  for (;;) {
    char text[64];
    const long long now = now_ns();
    const int size = snprintf(text, sizeof text, "%lld %lld\n", first, now);
    if (pwrite(file, text, (size_t)size, 0) != size) return 74;
    if (last != 0 ? now >= last : access(end, F_OK) == 0) return 0;
    poll(NULL, 0, 20);
  }
}
