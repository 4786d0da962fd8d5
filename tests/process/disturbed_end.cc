#include "disturbed_end.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace witness {
namespace {

[[noreturn]] void become(const Argv& words, const std::string& output) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, 0);
  dup2(out, 1);
  dup2(null, 2);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

bool reads_end(const Returned& call) { return call.number == SYS_wait4 && call.value > 0; }

DisturbedEnd disturb_end(const Argv& argv, const Disturbance& by, const std::string& output) {
  const pid_t child = fork();
  if (child == 0) become(argv, output);
  DisturbedEnd end;
  waitpid(child, &end.status, 0);
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  bool over = false;
  int calls = 0;
  Returned call;
  int deliver = 0;
  for (;;) {
    ptrace(PTRACE_SYSCALL, child, nullptr, deliver);
    deliver = 0;
    waitpid(child, &end.status, 0);
    if (!WIFSTOPPED(end.status)) return end;
    if (WSTOPSIG(end.status) != (SIGTRAP | 0x80)) {
      deliver = WSTOPSIG(end.status) == SIGTRAP ? 0 : WSTOPSIG(end.status);
      continue;
    }
    struct __ptrace_syscall_info info = {};
    ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
      call.value = static_cast<long>(info.exit.rval);
      over = over || by.over(call);
      continue;
    }
    call.number = info.entry.nr;
    call.second = info.entry.args[1];
    if (!over || end.arrived || calls++ < by.call) continue;
    for (const int signal : by.signals) kill(child, signal);
    end.arrived = true;
  }
}

}  // namespace witness
