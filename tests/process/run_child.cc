// A command with habits, for tests of the run room. Words are read from left to right:
//   ignore=S block=S alarm=MS   ignore or block a signal; an alarm that lives across exec
//   default=S                   a signal has its usual effect again
//   become=UID                  be another user for good
//   close                       close everything but standard streams and the file of hear
//   group session               leave the process group; begin a session
//   fork=N                      N children that go on with the next words; this process waits for
//   them at `pause` daemon                      go on in a child of a child whose parent has ended,
//   and let this process go on behind
//                               the word `then`
//   hear=FILE                   from now on, append the number of every signal that arrives to FILE
//   mark=FILE fds=FILE          append our pid, or our open descriptors, to FILE
//   exec CMD...                 become another program
//   tty=PATH                    make a terminal the standard input, and the session's if it has
//   none job=FILE CMD...             be a shell with one job in the foreground: writes "stopped S",
//   "exit N" or "signal N" to
//                               FILE, and continues the job in the foreground at SIGUSR1, behind at
//                               SIGUSR2
//   read                        read the standard input to its end
//   headless                    pause for ever in another thread, while the main one ends
//   die=S exit=N pause relay    end; or pause for ever; or fork a successor and end, again and
//   again
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

int ear = -1;

void hear(int signal) {
  const char text[] = {static_cast<char>('0' + signal / 10), static_cast<char>('0' + signal % 10),
                       '\n'};
  if (write(ear, text, sizeof text) < 0) _exit(99);
}

bool is(const char* word, const char* name) { return strncmp(word, name, strlen(name)) == 0; }
const char* text_of(const char* word) { return strchr(word, '=') + 1; }
int number_of(const char* word) { return static_cast<int>(strtol(text_of(word), nullptr, 10)); }

int open_to_append(const char* path) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) _exit(98);
  return fd;
}

// One write, so that lines of many writers stay whole.
void append(int fd, const char* format, int a) {
  char line[32];
  const int size = snprintf(line, sizeof line, format, a);
  if (write(fd, line, static_cast<size_t>(size)) != size) _exit(97);
}

void list_descriptors(const char* path) {
  bool open_ones[1024];
  for (int fd = 0; fd < 1024; ++fd) open_ones[fd] = fcntl(fd, F_GETFD) >= 0;
  const int to = open_to_append(path);
  for (int fd = 0; fd < 1024; ++fd) {
    if (open_ones[fd]) append(to, "%d ", fd);
  }
  append(to, "end\n", 0);
  close(to);
}

void hear_all(const char* path) {
  ear = open_to_append(path);
  struct sigaction action = {};
  action.sa_handler = hear;
  action.sa_flags = SA_RESTART;
  for (int signal = 1; signal < 65; ++signal) {
    if (signal != SIGCHLD) sigaction(signal, &action, nullptr);
  }
}

void set_alarm(int ms) {
  struct itimerval timer = {};
  timer.it_value.tv_sec = ms / 1000;
  timer.it_value.tv_usec = ms % 1000 * 1000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

void block(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

void be_shell(const char* path, char** command) {
  signal(SIGTTOU, SIG_IGN);  // a shell takes the terminal back while it is in the background
  block(SIGUSR1);
  block(SIGUSR2);
  const int log = open_to_append(path);
  const pid_t job = fork();
  if (job == 0) {
    setpgid(0, 0);
    tcsetpgrp(0, getpid());
    signal(SIGTTOU, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execv(command[0], command);
    _exit(95);
  }
  setpgid(job, job);
  for (;;) {
    int status;
    if (waitpid(job, &status, WUNTRACED) < 0) _exit(94);
    if (WIFEXITED(status)) append(log, "exit %d\n", WEXITSTATUS(status));
    if (WIFSIGNALED(status)) append(log, "signal %d\n", WTERMSIG(status));
    if (!WIFSTOPPED(status)) _exit(0);
    tcsetpgrp(0, getpid());
    append(log, "stopped %d\n", WSTOPSIG(status));
    sigset_t orders;
    sigemptyset(&orders);
    sigaddset(&orders, SIGUSR1);
    sigaddset(&orders, SIGUSR2);
    int order;
    sigwait(&orders, &order);
    if (order == SIGUSR1) tcsetpgrp(0, job);
    kill(-job, SIGCONT);
  }
}

void take_terminal(const char* path) {
  const int terminal = open(path, O_RDWR);
  if (terminal < 0 || dup2(terminal, 0) < 0) _exit(93);
  if (terminal != 0) close(terminal);
}

void read_to_end() {
  char buffer[256];
  while (read(0, buffer, sizeof buffer) > 0) {
  }
}

void* pause_for_ever(void*) {
  for (;;) pause();
}

void lose_main_thread() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, pause_for_ever, nullptr) != 0) _exit(91);
  syscall(SYS_exit, 0);
}

}  // namespace

int main(int, char** argv) {
  for (char** word = argv + 1; *word != nullptr; ++word) {
    if (is(*word, "ignore=")) signal(number_of(*word), SIG_IGN);
    if (is(*word, "block=")) block(number_of(*word));
    if (is(*word, "default=")) signal(number_of(*word), SIG_DFL);
    if (is(*word, "become=")) {
      const auto user = static_cast<uid_t>(number_of(*word));
      if (setresuid(user, user, user) != 0) _exit(92);
    }
    if (strcmp(*word, "close") == 0) {
      for (int fd = 3; fd < 1024; ++fd) {
        if (fd != ear) close(fd);
      }
    }
    if (is(*word, "alarm=")) set_alarm(number_of(*word));
    if (is(*word, "group")) setpgid(0, 0);
    if (is(*word, "session")) setsid();
    if (is(*word, "fork=")) {
      int left = number_of(*word);
      while (left > 0 && fork() != 0) --left;
      if (left == 0) {
        while (wait(nullptr) > 0) {
        }
      }
    }
    if (is(*word, "daemon")) {
      const pid_t middle = fork();
      if (middle == 0) {
        if (fork() != 0) _exit(0);
        setsid();
      } else {
        waitpid(middle, nullptr, 0);
        while (strcmp(*word, "then") != 0) ++word;
      }
    }
    if (is(*word, "hear=")) hear_all(text_of(*word));
    if (is(*word, "mark=")) append(open_to_append(text_of(*word)), "%d\n", getpid());
    if (is(*word, "fds=")) list_descriptors(text_of(*word));
    if (is(*word, "exec")) {
      execvp(word[1], word + 1);
      _exit(96);
    }
    if (is(*word, "tty=")) take_terminal(text_of(*word));
    if (is(*word, "job=")) be_shell(text_of(*word), word + 1);
    if (strcmp(*word, "read") == 0) read_to_end();
    if (is(*word, "die=")) {
      kill(getpid(), number_of(*word));
      pause();
    }
    if (is(*word, "exit=")) _exit(number_of(*word));
    if (is(*word, "headless")) lose_main_thread();
    while (is(*word, "pause")) pause();
    while (is(*word, "relay")) {
      if (fork() != 0) _exit(0);
    }
  }
  return 0;
}
