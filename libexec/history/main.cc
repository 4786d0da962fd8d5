// atmost history: what happened, from the logs.
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "options.h"
#include "os/clock.h"
#include "os/file.h"
#include "reader/output.h"
#include "reader/record.h"
#include "reader/sources.h"
#include "reader/tail.h"
#include "show.h"

namespace atmost::history {

// Watches the directories of the logs, so that rotations and new files are seen too.
class Growth {
 public:
  explicit Growth(const std::vector<std::string>& logs);
  // Returns when something in those directories changed, and after a second anyway: a hint. Blocks
  // that long.
  void wait();

 private:
  os::Fd inotify_;
};

Growth::Growth(const std::vector<std::string>& logs)
    : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!inotify_.open()) return;
  for (const std::string& log : logs) {
    const std::string directory = std::filesystem::path(log).parent_path();
    inotify_add_watch(inotify_.get(), directory.c_str(),
                      IN_MODIFY | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO);
  }
}

void Growth::wait() {
  constexpr int kLookAnywayMs = 1000;
  struct pollfd ready = {inotify_.get(), POLLIN, 0};
  if (poll(&ready, 1, kLookAnywayMs) <= 0) return;
  char events[16 * 1024];
  while (read(inotify_.get(), events, sizeof events) > 0) {
  }
}

namespace {

class History {
 public:
  History(const Options& options, const Sources& sources)
      : options_(options),
        filter_(options, sources.locks),
        show_(options.json            ? Shape::lines
              : isatty(STDOUT_FILENO) ? Shape::table
                                      : Shape::plain) {
    for (const std::string& log : sources.logs)
      tails_.emplace_back(log, options.selection.since_ns);
  }

  void run() {
    const bool sorted = tails_.size() > 1;
    for (Tail& tail : tails_) {
      const LineSink sink = [&](std::string_view line) {
        take(line, sorted || options_.last_given);
      };
      tail.advance(sink);
      if (!options_.follow) tail.finish(sink);
      put_in_order(0);
      if (!tail.found() && !options_.selection.quiet) complain_of_missing(tail.path());
    }
    show_kept(sorted);
    show_.flush();
    report_unread();
    if (!options_.selection.quiet) warn_of_unknown(filter_.locks());
    if (!options_.follow) return;
    std::vector<std::string> paths;
    for (const Tail& tail : tails_) paths.push_back(tail.path());
    following_ = true;
    for (Growth growth(paths);; growth.wait()) {
      for (Tail& tail : tails_) tail.advance([this](std::string_view line) { take(line, false); });
      show_.flush();
      report_unread();
    }
  }

 private:
  struct Kept {
    std::int64_t at_ns;
    std::string line;
  };

  void take(std::string_view line, bool keep) {
    if (line.empty()) return;  // two writers may have ended the same torn line
    Record record;
    const Reading reading = read_line(line, record);
    if (reading != Reading::whole) ++unread_;
    if (reading == Reading::foreign) return;
    if (!filter_.wants(record)) return;
    if (!is_safe(record.line)) {
      ++unread_;
      return;
    }
    if (following_) {
      show_.add(record);
      return;
    }
    keep_ = keep;
    waiting_.emplace(record.ns("at"), std::string(record.line));
    put_in_order(kWindow);
  }

  // Some events are logged a little late: a signal when it is known whether it worked, an end when
  // the slot is already free. So the newest lines are held back for sorting; the oldest are passed
  // on until this many are left.
  void put_in_order(std::size_t left) {
    for (; waiting_.size() > left; waiting_.erase(waiting_.begin()))
      take_in_order(*waiting_.begin());
  }

  void take_in_order(const std::pair<const std::int64_t, std::string>& one) {
    if (!keep_) {
      Record record;
      read_line(one.second, record);
      show_.add(record);
      return;
    }
    kept_.push_back({one.first, one.second});
    // Each of several logs may have the latest line: only the sorted lines can be cut.
    if (tails_.size() == 1 && kept_.size() > options_.last) kept_.pop_front();
  }

  void show_kept(bool sorted) {
    if (sorted) {
      std::stable_sort(kept_.begin(), kept_.end(),
                       [](const Kept& one, const Kept& other) { return one.at_ns < other.at_ns; });
    }
    if (options_.last_given) {
      while (kept_.size() > options_.last) kept_.pop_front();
    }
    for (const Kept& one : kept_) {
      Record record;
      read_line(one.line, record);
      show_.add(record);
    }
    kept_.clear();
  }

  void report_unread() {
    if (unread_ > 0 && !options_.selection.quiet) {
      complain(skipped_words(unread_));
    }
    unread_ = 0;
  }

  const Options& options_;
  Filter filter_;
  Show show_;
  std::vector<Tail> tails_;
  std::deque<Kept> kept_;
  static constexpr std::size_t kWindow = 4096;
  std::multimap<std::int64_t, std::string> waiting_;  // equal times in the order of the log
  bool keep_ = false;
  bool following_ = false;
  std::size_t unread_ = 0;
};

int run_history(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, os::now().real_ns, options)) return 0;
  static char buffer[1 << 18];
  std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  const Sources sources = find_sources(options.selection);
  History(options, sources).run();
  finish_output();
  return 0;
}

}  // namespace

}  // namespace atmost::history

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::history::run_history, argc, argv);
}
