#include "relay.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/programs.h"
#include "os/host.h"
#include "os/packets.h"
#include "os/spawn.h"

namespace atmost::relay {
namespace {

constexpr std::size_t kMostSaid = std::size_t{64} * 1024;

std::string own_path() { return std::string(program_directory().view()) + "/" + kProgram; }

std::string atmost_program() {
  const std::string beside = std::string(program_directory().view()) + "/../../bin/atmost";
  return access(beside.c_str(), X_OK) == 0 ? beside : "atmost";
}

// This process keeps nothing of the library's program: not its terminal, not its descriptors, and
// not the variables that its callers set for `atmost run`.
void leave_the_program(int socket) {
  setsid();
  os::close_all_but(&socket, 1, 0);
  for (int stream = 0; stream < 3; ++stream) {
    if (open("/dev/null", O_RDWR) < 0) _exit(70);
  }
  unsetenv("ATMOST_PING");
  unsetenv("ATMOST_STORE");
}

// The output of `atmost run` on one descriptor.
class Said {
 public:
  Said() {
    int ends[2];
    if (pipe(ends) != 0) _exit(70);
    from_ = ends[0];
    to_ = ends[1];
    fcntl(from_, F_SETFD, FD_CLOEXEC);
    fcntl(from_, F_SETFL, O_NONBLOCK);
  }
  int from() const { return from_; }
  int to() const { return to_; }
  void has_writer() { close(to_); }
  const std::string& text() const { return text_; }

  // Returns false at the end of the stream.
  bool read_some() {
    char buffer[4096];
    for (;;) {
      const ssize_t size = read(from_, buffer, sizeof buffer);
      if (size < 0) return errno == EAGAIN || errno == EINTR;
      if (size == 0) return false;
      if (text_.size() < kMostSaid) text_.append(buffer, static_cast<std::size_t>(size));
    }
  }

 private:
  int from_ = -1;
  int to_ = -1;
  std::string text_;
};

class Run {
 public:
  explicit Run(int socket) : socket_(socket) {}

  void start(char** arguments) {
    const std::string status_fd = "--status-fd=" + std::to_string(status_.to());
    const std::string program = atmost_program();
    const std::string own = own_path();
    const std::string socket = std::to_string(socket_);
    std::vector<const char*> words = {program.c_str(), "run", status_fd.c_str()};
    for (; *arguments != nullptr; ++arguments) words.push_back(*arguments);
    for (const char* word : {"--", own.c_str(), kHold, socket.c_str()}) words.push_back(word);
    words.push_back(nullptr);
    const pid_t self = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, nullptr);
      dup2(errors_.to(), STDERR_FILENO);
      close(errors_.to());
#ifdef __linux__
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != self) _exit(70);
#endif
      execvp(program.c_str(), const_cast<char* const*>(words.data()));
      dprintf(STDERR_FILENO, "atmost: the program atmost, which asks stores, is not installed\n");
      _exit(69);
    }
    if (pid_ < 0) _exit(70);
    status_.has_writer();
    errors_.has_writer();
  }

  // Returns the exit code.
  int watch() {
    sigset_t none;
    sigemptyset(&none);
    int ended = 0;
    while (waitpid(pid_, &ended, WNOHANG) != pid_) {
      struct pollfd ready[3] = {{library_is_there_ ? socket_ : -1, POLLIN, 0},
                                {status_.from(), POLLIN, 0},
                                {errors_.from(), POLLIN, 0}};
      if (!status_open_) ready[1].fd = -1;
      if (!errors_open_) ready[2].fd = -1;
      if (ppoll(ready, 3, nullptr, &none) < 0) continue;
      if (ready[0].revents != 0) listen();
      if (ready[1].revents != 0) status_open_ = status_.read_some();
      if (ready[2].revents != 0) errors_open_ = errors_.read_some();
    }
    status_.read_some();
    errors_.read_some();
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  }

  void report(int code) const {
    os::send_packet(socket_, outcome_packet(status_.text(), errors_.text(), code));
  }

 private:
  // The library has decided to keep the lock, or its process has ended or given up.
  void listen() {
    char packet[os::kMostPacket];
    std::size_t size = 0;
    os::Fd passed;
    const os::Packet got = os::receive_packet(socket_, 0, packet, size, passed);
    if (got == os::Packet::received && std::string_view(packet, size) == kKeep) kept_ = true;
    if (got != os::Packet::closed) return;
    library_is_there_ = false;
    if (!kept_) kill(pid_, SIGTERM);  // our child, which nobody else waits for
  }

  int socket_;
  bool library_is_there_ = true;
  bool kept_ = false;
  bool status_open_ = true;
  bool errors_open_ = true;
  pid_t pid_ = -1;
  Said status_;
  Said errors_;
};

}  // namespace

int ask(int socket, char** arguments) {
  leave_the_program(socket);
  // A child's end interrupts only ppoll().
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  signal(SIGCHLD, [](int) {});
  Run run(socket);
  run.start(arguments);
  run.report(run.watch());
  return 0;
}

namespace {

std::string from_environment(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int hold(int socket) {
  os::Fd ours;
  os::Fd theirs;
  if (os::open_packet_pair(ours, theirs) != 0) return 1;
  const std::string held =
      std::string(kHeld) + from_environment("ATMOST_TOKEN") + " " + from_environment("ATMOST_SLOT");
  if (!os::send_packet(socket, held, theirs.get())) return 1;
  theirs.reset();
  // The supervisor has `socket`, too, so that it would stay open after this process: a connection
  // of this process alone shows its end.
  const int kept = ours.get();
  os::close_all_but(&kept, 1, 0);
  char packet[os::kMostPacket];
  std::size_t size = 0;
  for (;;) {
    os::Fd passed;
    const os::Packet got = os::receive_packet(kept, -1, packet, size, passed);
    if (got == os::Packet::received) return std::string_view(packet, size) == kSuccess ? 0 : 1;
    if (got == os::Packet::closed) return 1;
  }
}

}  // namespace atmost::relay
