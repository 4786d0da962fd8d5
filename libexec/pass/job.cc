#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <type_traits>

#include "atmost/limiter.h"
#include "say.h"
#include "user.h"

namespace atmost::pass {
namespace {

// It is sent through a pipe in one write, which is whole up to PIPE_BUF.
static_assert(std::is_trivially_copyable_v<Outcome> && sizeof(Outcome) <= 4096);

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  // execve takes pointers to char it never writes through.
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

Error cannot(const std::string& what, int sys) {
  Error error = error_of(Code::internal, sys, what);
  error.message.append(": ").append(strerror(sys));
  return error;
}

Outcome failed(const Error& error) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::failed;
  outcome.error = error;
  return outcome;
}

// In the new process: everything that its command shall find, then the pipeline.
Outcome run_in_child(const Atom& atom, const Request& request, bool quiet) {
  std::vector<std::string> words = atom.command;
  if (!atom.user.empty()) {
    User user;
    if (const Status found = find_user(atom.user, user); !found.ok()) return failed(found.error());
    set_variables(user);
    if (!is_ours(user)) {
      const std::vector<std::string> become = {own_path(), kBecome, atom.user, atom.directory};
      words.insert(words.begin(), become.begin(), become.end());
    }
  }
  for (const auto& [name, value] : atom.environment) setenv(name.c_str(), value.c_str(), 1);
  const bool goes_here = words.size() == atom.command.size() && !atom.directory.empty();
  if (goes_here && chdir(atom.directory.c_str()) != 0) return failed(cannot(atom.directory, errno));
  const std::vector<char*> argv = pointers(words);
  Narrator narrator(atom.name(), quiet);
  return run_command(request, {argv.data()}, &narrator);
}

// The ends of the pipes that a child keeps.
struct Ends {
  os::Fd result;
  os::Fd out;
  os::Fd err;
};

bool make_pipe(os::Fd& reading, os::Fd& writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reading = os::Fd(ends[0]);
  writing = os::Fd(ends[1]);
  return true;
}

[[noreturn]] void be_child(const Atom& atom, const Request& request, bool quiet, const Ends& ends,
                           const sigset_t& mask) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) ::signal(signal, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (ends.out.open()) {
    const os::Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(nothing.get(), 0);
    dup2(ends.out.get(), 1);
    dup2(ends.err.get(), 2);
  }
  const Outcome outcome = run_in_child(atom, request, quiet);
  while (write(ends.result.get(), &outcome, sizeof outcome) < 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace

Status make_request(const Atom& atom, const Surroundings& around, bool trust_fs, const Instant& now,
                    Request& to) {
  to = {};
  if (const Status placed = place_lock(atom.name(), around, to.locks[0], to.make_parents); !placed.ok())
    return placed;
  to.locks[0].max = atom.max;
  to.if_elapsed = atom.if_elapsed;
  to.expire_after = atom.expire_after;
  to.max_runtime = atom.max_runtime;
  to.kill_grace = atom.kill_grace;
  to.now_given = true;
  to.now_real_ns = now.real_ns;
  to.now_boot_ns = now.given ? 0 : now.boot_ns;
  to.trust_fs = trust_fs;
  to.nested = getenv("ATMOST_HELD") != nullptr;
  // The command of another user shall not get a descriptor that it could write to.
  to.close_fd = !atom.user.empty();
  const std::string& program = atom.command[0];
  to.command = Text<63>(std::string_view(program).substr(program.rfind('/') + 1));
  return {};
}

bool runs_here(const Atom& atom) {
  return atom.user.empty() && atom.directory.empty() && atom.environment.empty();
}

Outcome run_here(const Atom& atom, const Request& request, bool quiet) {
  const std::vector<char*> argv = pointers(atom.command);
  Narrator narrator(atom.name(), quiet);
  return run_command(request, {argv.data()}, &narrator);
}

Result<Child> start(const Atom& atom, const Request& request, bool captured, bool quiet,
                    const sigset_t& mask) {
  Child child;
  Ends ends;
  const bool piped = make_pipe(child.result, ends.result) &&
                     (!captured || (make_pipe(child.out, ends.out) && make_pipe(child.err, ends.err)));
  if (!piped) return cannot("cannot make a pipe", errno);
  child.pid = fork();
  if (child.pid == 0) be_child(atom, request, quiet, ends, mask);
  if (child.pid < 0) return cannot("cannot start a process", errno);
  for (const os::Fd* fd : {&child.out, &child.err}) {
    if (fd->open()) fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  }
  return child;
}

Outcome finish(Child& child, int passed_on) {
  Outcome outcome;
  ssize_t got;
  do {
    got = read(child.result.get(), &outcome, sizeof outcome);
  } while (got < 0 && errno == EINTR);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof outcome)) return outcome;
  Error error = error_of(Code::lost, 0, "its supervisor was killed");
  if (WIFSIGNALED(status)) error.message.append(" by signal ").append_signed(WTERMSIG(status));
  outcome = failed(error);
  // Before its command ran, or after: nothing there to be told, and no accident.
  if (WIFSIGNALED(status) && WTERMSIG(status) == passed_on) outcome.told = passed_on;
  return outcome;
}

}  // namespace atmost::pass
