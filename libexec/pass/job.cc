#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/limiter.h"
#include "core/schemes.h"
#include "monitored.h"
#include "options/combine.h"
#include "os/host.h"
#include "say.h"

namespace atmost::pass {

Status find_user(const std::string& name, User& to) {
  errno = 0;
  const passwd* entry = getpwnam(name.c_str());
  if (entry == nullptr)
    return error_of(Code::not_permitted, errno, "user " + name + " is not known here");
  to = {entry->pw_name, entry->pw_dir, entry->pw_shell, entry->pw_uid, entry->pw_gid};
  if (geteuid() == 0 || is_ours(to)) return {};
  return error_of(Code::not_permitted, EPERM, "only root can run it as user " + name);
}

bool is_ours(const User& user) { return geteuid() == user.uid && getuid() == user.uid; }

void set_variables(const User& user) {
  setenv("USER", user.name.c_str(), 1);
  setenv("LOGNAME", user.name.c_str(), 1);
  setenv("HOME", user.home.c_str(), 1);
  setenv("SHELL", user.shell.empty() ? "/bin/sh" : user.shell.c_str(), 1);
}

std::string own_path() { return std::string(program_directory().view()) + "/atmost-pass"; }

int become_user(char** argv) {
  const auto refuse = [](const std::string& what, int error) {
    complain(what + ": " + strerror(error));
    return static_cast<int>(error == ENOENT ? Code::not_found : Code::not_executable);
  };
  if (argv[0] == nullptr || argv[1] == nullptr || argv[2] == nullptr)
    return static_cast<int>(Code::usage);
  User user;
  if (const Status found = find_user(argv[0], user); !found.ok()) {
    complain(found.error().message.view());
    return static_cast<int>(Code::not_executable);
  }
  if (initgroups(user.name.c_str(), user.gid) != 0 || setgid(user.gid) != 0 ||
      setuid(user.uid) != 0) {
    return refuse("cannot become user " + user.name, errno);
  }
  const char* directory = argv[1];
  if (directory[0] != '\0' && chdir(directory) != 0) {
    refuse(directory, errno);
    return static_cast<int>(Code::not_executable);
  }
  execvp(argv[2], argv + 2);
  return refuse(argv[2], errno);
}

namespace {

// It is sent through a pipe in one write, which is whole up to PIPE_BUF.
static_assert(sizeof(SentResult) <= 4096);

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

// When a lock last admitted a caller, by the wall clock; 0 when it never did.
Result<std::int64_t> last_admission(Store& store, const LockSpec& lock) {
  struct Last final : LockVisitor {
    std::int64_t real_ns = 0;
    void header(const Header& header) override {
      if (header.last.start.known) real_ns = header.last.start.real_ns;
    }
    void holder(const HolderView&) override {}
    void waiter(const WaiterView&) override {}
  } last;
  const Result<std::uint32_t> seen = store.inspect(lock, now(), &last);
  if (!seen.ok()) return seen.error();
  return last.real_ns;
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

[[noreturn]] void run_as_supervisor(const Job& job, const Variables& secrets, bool quiet,
                                    const Ends& ends, const sigset_t& mask) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      ::signal(signal, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (ends.out.open()) {
    const os::Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(nothing.get(), 0);
    dup2(ends.out.get(), 1);
    dup2(ends.err.get(), 2);
  }
  const AtomResult result =
      job.store.empty() ? AtomResult{AtomResult::Kind::answered, run_prepared(job, quiet)}
                        : failed_result(monitor_job(job, secrets, quiet, ends.result.get()));
  const SentResult sent = {result.kind, SentOutcome(result.outcome)};
  while (write(ends.result.get(), &sent, sizeof sent) < 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace

Status make_request(const Atom& atom, const Options& options, const NamingContext& around,
                    const Instant& now, Arena& texts, Settings& settings) {
  const bool fleet = in_fleet(atom, options);
  Status made = set_words(atom.words, settings);
  if (made.ok()) made = combine(settings, fleet ? *scheme_of(options.store) : kSchemes[0], kAtom);
  if (!made.ok() && fleet) {
    Error error = made.error();
    error.message.append(", or scope = \"host\"");
    return error;
  }
  if (!made.ok()) return made;
  Request& to = settings.request;
  const std::string_view whose = options.host.empty() ? std::string_view("fleet") : options.host;
  to.make_parents = fleet;
  texts.clear();
  const Status placed =
      fleet ? place_fleet_lock(atom.name(), options.store, whose, texts, to.locks[0])
            : place_lock(atom.name(), around, texts, to.locks[0], to.make_parents);
  if (!placed.ok()) return placed;
  if (fleet) {
    const Result<PathParts> log = fleet_log(without_shared(around, options.store));
    if (log.ok()) {
      to.log = log.value();
    } else {
      to.no_history = true;
    }
  }
  // Ages and intervals in a fleet are the store's to measure, not this host's at the beginning of a
  // pass.
  to.now_given = !fleet || now.given;
  to.now_real_ns = now.real_ns;
  to.now_boot_ns = now.given ? 0 : now.boot_ns;
  to.trust_fs = options.trust_fs;
  to.nested = getenv("ATMOST_HELD") != nullptr;
  // The command of another user must not get a descriptor that it could write to.
  to.close_fd = !atom.user.empty();
  const std::string& program = atom.command[0];
  to.command = Text<63>(std::string_view(program).substr(program.rfind('/') + 1));
  return {};
}

Result<bool> ran_already(const Job& job) {
  if (!job.not_since) return false;
  const Result<std::int64_t> last = last_admission(job.locks, job.request.locks[0]);
  if (!last.ok()) return last.error();
  const std::int64_t seconds = last.value() / 1'000'000'000;
  return seconds >= job.not_since->begin && seconds < job.not_since->end;
}

bool runs_here(const Job& job) {
  const Atom& atom = job.atom;
  return job.store.empty() && atom.user.empty() && atom.directory.empty() &&
         atom.environment.empty();
}

Outcome run_here(const Job& job, bool quiet) {
  const std::vector<char*> argv = pointers(job.atom.command);
  Narrator narrator(job.atom.name(), quiet);
  return run_command(job.locks, job.request, {argv.data(), nullptr}, &narrator);
}

Outcome run_prepared(const Job& job, bool quiet) {
  const Atom& atom = job.atom;
  std::vector<std::string> words = atom.command;
  std::vector<std::string> become;
  if (!atom.user.empty()) {
    User user;
    if (const Status found = find_user(atom.user, user); !found.ok())
      return failed_result(found.error()).outcome;
    set_variables(user);
    if (!is_ours(user)) {
      become = {own_path(), kBecome, atom.user, atom.directory};
      words.insert(words.begin(), become.begin(), become.end());
    }
  }
  for (const auto& [name, value] : atom.environment) setenv(name.c_str(), value.c_str(), 1);
  const bool goes_here = words.size() == atom.command.size() && !atom.directory.empty();
  if (goes_here && chdir(atom.directory.c_str()) != 0)
    return failed_result(cannot(atom.directory, errno)).outcome;
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> run_as = pointers(become);
  Narrator narrator(atom.name(), quiet);
  return run_command(job.locks, job.request,
                     {argv.data(), become.empty() ? nullptr : run_as.data()}, &narrator);
}

Result<Child> start(const Job& job, const Variables& secrets, bool captured, bool quiet,
                    const sigset_t& mask) {
  Child child;
  Ends ends;
  const bool piped =
      make_pipe(child.result, ends.result) &&
      (!captured || (make_pipe(child.out, ends.out) && make_pipe(child.err, ends.err)));
  if (!piped) return cannot("cannot make a pipe", errno);
  child.pid = fork();
  if (child.pid == 0) run_as_supervisor(job, secrets, quiet, ends, mask);
  if (child.pid < 0) return cannot("cannot start a process", errno);
  for (const os::Fd* fd : {&child.out, &child.err}) {
    if (fd->open()) fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  }
  return child;
}

AtomResult finish(Child& child, int passed_on) {
  SentResult sent;
  ssize_t got;
  do {
    got = read(child.result.get(), &sent, sizeof sent);
  } while (got < 0 && errno == EINTR);
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (got == static_cast<ssize_t>(sizeof sent)) return {sent.kind, sent.outcome.received()};
  Error error = error_of(Code::lost, 0, "its supervisor was killed");
  if (WIFSIGNALED(status)) error.message.append(" by signal ").append_signed(WTERMSIG(status));
  AtomResult result = failed_result(error);
  // Ended by our signal before its command ran, or after it: nothing to report, and no failure.
  if (WIFSIGNALED(status) && WTERMSIG(status) == passed_on)
    result.outcome.termination_signal = passed_on;
  return result;
}

}  // namespace atmost::pass
