/* Calls atmost many times and kills some of what it started, for the tests of this folder.
 *
 *   crowd SEED CALLS PACE NAME ADDRESS PORT STORE TTL
 *
 * CALLS callers at random times, three of them each second, use four locks: lockN has N slots. Each
 * runs sign(1) for 100 to 900 ms, which the witness at ADDRESS and PORT counts. Every sixth is
 * killed some time after its call: its monitor, its supervisor, or its command. On a machine that
 * is PACE times slower all these times are as much longer. A line for each
 * caller goes to standard output, times in nanoseconds since the start:
 *   NAME-INDEX N CALLED WAITING|- ENDED CODE|- KILLED|- */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000, OPEN = 200, RATE = 3 };

struct Caller {
  pid_t pid;
  int output;
  int limit;
  long long called, waiting, ended, kill_at;
  int code;
  const char* killed;
  char said[512];
  size_t size;
};

static struct Caller callers[MOST];
static char** args;
static long long began;
static double pace;

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec - began;
}

static void call(int index) {
  struct Caller* one = &callers[index];
  int ends[2];
  char store[300], ttl[32], limit[16], lock[16], file[64], id[64], length[16];
  one->limit = 1 + rand() % 4;
  snprintf(store, sizeof store, "--store=%s", args[7]);
  snprintf(ttl, sizeof ttl, "--ttl=%s", args[8]);
  snprintf(limit, sizeof limit, "-n%d", one->limit);
  snprintf(lock, sizeof lock, "lock%d", one->limit);
  snprintf(file, sizeof file, "/tmp/%s-%d", args[4], index);
  snprintf(id, sizeof id, "%s-%d", args[4], index);
  snprintf(length, sizeof length, "%d", (int)(pace * (100 + rand() % 800)));
  if (pipe2(ends, O_CLOEXEC) != 0) exit(71);
  one->called = now_ns();
  if (rand() % 6 == 0) one->kill_at = one->called + (long long)(pace * 1e6 * (rand() % 2000));
  one->pid = fork();
  if (one->pid == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execlp("atmost", "atmost", "run", "-v", "-winf", "--no-history", ttl, "--kill-grace=500ms",
           store, limit, lock, "--", "sign", file, args[5], args[6], lock, limit + 2, id, length,
           (char*)NULL);
    _exit(127);
  }
  close(ends[1]);
  one->output = ends[0];
}

/* The first child of a process; 0: it has none. */
static pid_t child_of(pid_t pid) {
  char path[64];
  int child = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%d", &child) != 1) child = 0;
  fclose(file);
  return child;
}

/* The killed processes are our children, which nobody else reaps, and theirs. */
static void hurt(struct Caller* one) {
  const pid_t supervisor = child_of(one->pid);
  const pid_t command = supervisor > 0 ? child_of(supervisor) : 0;
  const int which = rand() % 3;
  one->kill_at = 0;
  if (which == 0) {
    one->killed = "monitor";
    kill(one->pid, SIGKILL);
  } else if (which == 1 && supervisor > 0) {
    one->killed = "supervisor";
    kill(supervisor, SIGKILL);
  } else if (which == 2 && command > 0) {
    one->killed = "command";
    kill(command, SIGKILL);
  }
}

/* 0 at the end of its output. */
static int hear(struct Caller* one) {
  char rest[512];
  const size_t space = sizeof one->said - 1 - one->size;
  const ssize_t got = space > 0 ? read(one->output, one->said + one->size, space)
                                : read(one->output, rest, sizeof rest);
  if (got > 0 && space > 0) one->said[one->size += (size_t)got] = '\0';
  if (one->waiting == 0 && strstr(one->said, "waiting: ") != NULL) one->waiting = now_ns();
  return got > 0;
}

static void finish(int index) {
  struct Caller* one = &callers[index];
  int status = 0;
  close(one->output);
  waitpid(one->pid, &status, 0);
  one->ended = now_ns();
  one->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  printf("%s-%d %d %lld %lld %lld %d %s\n", args[4], index, one->limit, one->called, one->waiting,
         one->ended, one->code, one->killed != NULL ? one->killed : "-");
  if (one->code != 0 && one->killed == NULL) printf("# %s\n", one->said);
  fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc != 9) return 64;
  args = argv;
  srand((unsigned)atoi(argv[1]));
  pace = atof(argv[3]);
  const int calls = atoi(argv[2]) < MOST ? atoi(argv[2]) : MOST;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  began = now.tv_sec * 1000000000LL + now.tv_nsec;
  int made = 0, open = 0;
  long long next = 0;
  while (made < calls || open > 0) {
    if (made < calls && now_ns() >= next && open < OPEN) {
      call(made++);
      ++open;
      next += (long long)(2e9 / RATE * pace * rand() / RAND_MAX);
    }
    static struct pollfd wanted[MOST];
    static int whose[MOST];
    int count = 0;
    for (int i = 0; i < made; ++i) {
      if (callers[i].ended != 0) continue;
      if (callers[i].kill_at != 0 && now_ns() >= callers[i].kill_at) hurt(&callers[i]);
      wanted[count] = (struct pollfd){callers[i].output, POLLIN, 0};
      whose[count++] = i;
    }
    poll(wanted, (nfds_t)count, 10);
    for (int i = 0; i < count; ++i) {
      if (wanted[i].revents != 0 && !hear(&callers[whose[i]])) {
        finish(whose[i]);
        --open;
      }
    }
  }
  return 0;
}
