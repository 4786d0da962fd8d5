// atmost top: holders and waiters, live, with keys that stop, drain and resume.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "board.h"
#include "feed.h"
#include "os/host.h"
#include "reader/output.h"
#include "reader/selection.h"
#include "screen.h"

namespace atmost::top {

struct Options {
  std::vector<std::string> where;  // --store, --dir, --host with their values, for atmost
  std::vector<std::string> locks;  // empty: all of the directory
};

// False: --help or --version was given, and is answered. Throws Failure (usage).
bool read_arguments(int argc, char** argv, Options& to);

namespace {

constexpr char kUsage[] =
    "usage: atmost top [OPTION]... [LOCK]...\n\n"
    "holders and waiters, live; of all named locks if none is given\n\n"
    "      --store URL       file:, symlink:, shared:DIR, etcd://..., postgres:...\n"
    "                        ($ATMOST_STORE)\n"
    "      --dir DIR         directory of named locks ($ATMOST_DIR, or see atmost(1))\n"
    "      --host NAME       this machine's name in paths and atoms\n"
    "  -h, --help            show this\n"
    "  -V, --version         show the version\n\n"
    "Keys: arrows, Page Up, Page Down, Home, End choose a line; k stops its holder\n"
    "carefully, d drains its lock, r resumes it, each after a question; s sorts by\n"
    "another column, / shows only what has a text in it, space looks again at once,\n"
    "q leaves.\n";

enum Long : int { kStore = history::kOwnOptions, kDir, kHost };

}  // namespace

bool read_arguments(int argc, char** argv, Options& to) {
  const auto take = [&to](int letter, const char* value) {
    const char* option = letter == kStore ? "--store" : letter == kDir ? "--dir" : "--host";
    to.where.emplace_back(option);
    to.where.push_back(history::not_empty(option, value));
  };
  return !history::read_command_line(argc, argv,
                                     {"atmost top",
                                      kUsage,
                                      "",
                                      {{"store", required_argument, nullptr, kStore},
                                       {"dir", required_argument, nullptr, kDir},
                                       {"host", required_argument, nullptr, kHost}}},
                                     to.locks, take);
}

namespace {

using Clock = std::chrono::steady_clock;

// Set by a signal that ends the program, after the terminal has been put back.
volatile sig_atomic_t ended_by = 0;

void remember_signal(int signal) { ended_by = signal; }

std::string atmost_program() {
  const std::string beside = std::string(program_directory().view()) + "/../../bin/atmost";
  return access(beside.c_str(), X_OK) == 0 ? beside : "atmost";
}

// The last line of a program's output, without its name.
std::string said(const std::string& output) {
  std::string text = output.substr(0, output.find_last_not_of('\n') + 1);
  text.erase(0, text.rfind('\n') + 1);
  constexpr std::string_view kName = "atmost: ";
  return text.starts_with(kName) ? text.substr(kName.size()) : text;
}

class Top {
 public:
  explicit Top(const Options& options) : options_(options) {}

  void run() {
    Screen screen;
    look();
    while (ended_by == 0) {
      screen.draw(board_, where(), message_);
      wait();
      while (const auto press = screen.next()) {
        message_.clear();
        if (!obey(board_.press(press->key, press->character, screen.page()))) return;
        if (ended_by != 0) return;
      }
    }
  }

 private:
  std::vector<std::string> command(const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words = {program_, name};
    words.insert(words.end(), options_.where.begin(), options_.where.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::string where() const {
    return options_.where.empty() ? "atmost top" : "atmost top " + options_.where[1];
  }

  void look() {
    if (looking_.running()) return;
    std::vector<std::string> more = {"--json", "-q", "--"};
    more.insert(more.end(), options_.locks.begin(), options_.locks.end());
    looking_.start(command("list", more));
    next_look_ = Clock::now() + std::chrono::seconds(1);
  }

  // Waits for a key, a program's output, the time of the next look, or a signal.
  void wait() {
    pollfd of[] = {{STDIN_FILENO, POLLIN, 0},
                   {looking_.descriptor(), POLLIN, 0},
                   {acting_.descriptor(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look_ - Clock::now());
    // A signal may have come just before: so never for longer than this.
    constexpr long kLongest = 1000;
    const long until = looking_.running() ? kLongest : left.count();
    const int pause = static_cast<int>(std::clamp(until, 0L, kLongest));
    if (poll(of, 3, pause) < 0) return;
    if ((of[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) ended_by = SIGHUP;
    if (of[1].revents != 0 && looking_.take()) {
      if (looking_.code() == 0 || !looking_.output().empty())
        board_.show(rows_of(looking_.output()));
      if (looking_.code() != 0) message_ = said(looking_.output());
    }
    if (of[2].revents != 0 && acting_.take()) {
      message_ = said(acting_.output());
      if (message_.empty() && acting_.code() == 0) message_ = done_;
      next_look_ = Clock::now();
    }
    if (!looking_.running() && Clock::now() >= next_look_) look();
  }

  // Returns false to leave.
  bool obey(const Action& action) {
    if (action.kind == Action::Kind::none) return true;
    if (action.kind == Action::Kind::quit) {
      acting_.leave_alone();
      return false;
    }
    if (action.kind == Action::Kind::refresh) {
      look();
      return true;
    }
    if (acting_.running()) {
      message_ = "still busy with the last one";
      return true;
    }
    act(action);
    return true;
  }

  void act(const Action& action) {
    switch (action.kind) {
      case Action::Kind::kill:
        acting_.start(
            command("kill", {"--token", std::to_string(action.token), "--", action.lock}));
        message_ = "stopping it ...";
        done_ = "stopped";
        break;
      case Action::Kind::drain:
        acting_.start(command("drain", {"--", action.lock}));
        done_ = "drained";
        break;
      default:
        acting_.start(command("resume", {"--", action.lock}));
        done_ = "resumed";
        break;
    }
  }

  const Options& options_;
  const std::string program_ = atmost_program();
  Board board_;
  Job looking_;
  Job acting_;
  Clock::time_point next_look_;
  std::string message_;
  std::string done_;
};

int run_top(int argc, char** argv) {
  Options options;
  if (!read_arguments(argc, argv, options)) return 0;
  if (!os::is_terminal(STDIN_FILENO) || !os::is_terminal(STDOUT_FILENO))
    throw history::Failure(Code::usage, "top: needs a terminal: use atmost list --watch");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction act = {};
    act.sa_handler = remember_signal;
    (void)sigaction(signal, &act, nullptr);
  }
  Top(options).run();
  if (ended_by == 0) return 0;
  (void)signal(ended_by, SIG_DFL);
  (void)raise(ended_by);
  return 128 + ended_by;
}

}  // namespace

}  // namespace atmost::top

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::top::run_top, argc, argv);
}
