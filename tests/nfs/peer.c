/* Another program with locks in the same file, for the tests of this folder.
 *
 *   peer run FILE N COMMAND [ARG]...  limits COMMAND to N as exectimes does: a lock of the process
 *                                     on the byte of a slot, found under the guard; 75: none free
 *   peer hold FILE FIRST COUNT        holds COUNT slots from FIRST, each by a descriptor of its own,
 *                                     until it is killed; "held" on standard output when it does
 *   peer stand PID...                 becomes processes of these ids, until it is killed; on standard
 *                                     output "ready", and a line for each signal that one of them gets
 *
 * The guard is bytes 0 to 7, slot S is byte 7 + S (docs/internals/lock-map.md). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int lock(int fd, int how, short kind, off_t from, off_t size) {
  struct flock wanted = {.l_type = kind, .l_whence = SEEK_SET, .l_start = from, .l_len = size};
  return fcntl(fd, how, &wanted);
}

static int run(int fd, int slots, char** command) {
  if (lock(fd, F_SETLKW, F_WRLCK, 0, 8) != 0) return 71;
  int slot = 1;
  while (slot <= slots && lock(fd, F_SETLK, F_WRLCK, 7 + slot, 1) != 0) ++slot;
  if (lock(fd, F_SETLK, F_UNLCK, 0, 8) != 0) return 71;
  if (slot > slots) return 75;
  const pid_t child = fork();
  if (child == 0) {
    execvp(command[0], command);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 71;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int hold(const char* path, int first, int count) {
  for (int slot = first; slot < first + count; ++slot) {
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || lock(fd, F_OFD_SETLK, F_WRLCK, 7 + slot, 1) != 0) return 71;
  }
  puts("held");
  fflush(stdout);
  for (;;) pause();
}

/* The parent sees SIGKILL, the process itself all others. */
static void note_signals(void) {
  sigset_t all;
  int got = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  while (sigwait(&all, &got) == 0) {
    printf("%d got %d\n", (int)getpid(), got);
    fflush(stdout);
  }
  _exit(71);
}

/* True if a child has the id; the kernel gives out the next one that is free. */
static int stand_at(pid_t wanted) {
  for (int tries = 0; tries < 200; ++tries) {
    FILE* last = fopen("/proc/sys/kernel/ns_last_pid", "w");
    if (last == NULL) return 0;
    fprintf(last, "%d", (int)wanted - 1);
    if (fclose(last) != 0) return 0;
    const pid_t child = fork();
    if (child == 0) note_signals();
    if (child == wanted) return 1;
    if (child > 0) {
      kill(child, SIGKILL);
      waitpid(child, NULL, 0);
    }
    usleep(20000);
  }
  return 0;
}

static int stand(char** ids) {
  for (; *ids != NULL; ++ids) {
    if (!stand_at(atoi(*ids))) return 71;
  }
  puts("ready");
  fflush(stdout);
  const pid_t ended = wait(NULL);
  printf("%d ended\n", (int)ended);
  return 1;
}

int main(int argc, char** argv) {
  if (argc >= 5 && strcmp(argv[1], "run") == 0) {
    const int fd = open(argv[2], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? 71 : run(fd, atoi(argv[3]), argv + 4);
  }
  if (argc >= 3 && strcmp(argv[1], "stand") == 0) return stand(argv + 2);
  if (argc == 5 && strcmp(argv[1], "hold") == 0) return hold(argv[2], atoi(argv[3]), atoi(argv[4]));
  return 64;
}
