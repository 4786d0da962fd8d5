// atmost list
#include <cerrno>
#include <cstdlib>

#include "core/limiter.h"
#include "core/parse.h"
#include "listing.h"
#include "os/host.h"
#include "os/signals.h"
#include "place.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {
namespace {

// The locks to show: those named, or all of the directory.
class Locks {
 public:
  explicit Locks(const Invocation& invocation)
      : it_(invocation), around_(naming_context(invocation)) {}

  Status prepare() {
    if (it_.operand_count != 0) return {};
    if (it_.locks->traits().has_path) return lock_directory(around_, directory_);
    directory_.assign(it_.store);
    return {};
  }
  bool all() const { return it_.operand_count == 0; }
  std::string_view directory() const { return directory_; }

  // Each lock is inspected twice, to measure and to show, but each error is reported once.
  void set_silent(bool silent) { silent_ = silent; }

  // Reports which of the named locks were never used.
  void warn_of_unknown() {
    for (int i = 0; i < it_.operand_count; ++i) {
      if (place_operand(i).ok()) warn_if_unknown(it_, lock_);
    }
  }

  // Calls inspect() for each lock; reports errors, and returns the code of the last one.
  int show(Listing& listing) {
    code_ = 0;
    if (!all()) {
      for (int i = 0; i < it_.operand_count; ++i) {
        const Status placed = place_operand(i);
        if (placed.ok()) {
          show_one(listing);
        } else {
          note(placed.error());
        }
      }
      return code_;
    }
    Text<255> after;
    for (;;) {
      const bool files = it_.locks->traits().has_path;
      const Result<std::size_t> got = files ? next_names(directory_.c_str(), ".lock", after, names_)
                                            : it_.locks->list(after, names_);
      if (!got.ok() && got.error().sys != ENOENT) note(got.error());
      if (!got.ok() || got.value() == 0) return code_;
      for (std::size_t i = 0; i < got.value(); ++i) {
        texts_.clear();
        const Text<255> name = readable_name(names_[i], files ? around_.host : fleet_host(it_));
        if (keep_name(name, texts_, lock_).ok() &&
            keep_path({.directory = directory_, .file = names_[i]}, texts_, lock_.path).ok())
          show_one(listing);
      }
      after = names_[got.value() - 1];
    }
  }

 private:
  Status place_operand(int index) {
    bool named = false;
    texts_.clear();
    return place(it_, around_, it_.operands[index], texts_, lock_, named);
  }
  void show_one(Listing& listing) {
    listing.begin(lock_.name);
    const Result<std::uint32_t> shown = it_.locks->inspect(lock_, now(), &listing);
    if (!shown.ok()) note(shown.error());
  }
  void note(const Error& error) {
    if (!silent_) complain(error);
    code_ = static_cast<int>(error.code);
  }

  static constexpr std::size_t kBatch = 64;
  const Invocation& it_;
  NamingContext around_;
  PathText directory_;
  char first_texts_[1024];
  Arena texts_{first_texts_};
  LockSpec lock_;
  Text<255> names_[kBatch];
  int code_ = 0;
  bool silent_ = false;
};

bool wants_colours() {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  if (forbidden != nullptr && forbidden[0] != '\0') return false;
  return kind != nullptr && std::string_view(kind) != "dumb";
}

// "4 of 4 held, 16 waiting"; N is known from the waiters of one lock, where all have the same.
void say_totals(const Listing::Totals& all, std::string_view end, Output& to) {
  to.number(all.held);
  if (all.locks == 1 && all.queues == 1 && all.max <= kMaxSlots) to.text(" of ").number(all.max);
  to.text(" held, ").number(all.waiting).text(" waiting");
  if (all.locks > 1) to.text(", in ").number(all.locks).text(" locks");
  to.text(end);
}

// `lines`: how many lines of the screen the table and the text after it may take; 0: no limit.
// Each line is written over an older one if `table` has that mode.
int show_once(Locks& locks, const Invocation& invocation, Output& to, bool terminal, unsigned lines,
              Table table = {}) {
  const Instant moment = now();
  if (terminal && !invocation.json) {
    if (wants_colours()) table.colour();
    Listing measured(to, table, Shape::measure, moment);
    measured.heads();
    locks.set_silent(true);
    locks.show(measured);
    locks.set_silent(false);
    table.fit(terminal_size(1).columns);
  }
  Listing listing(to, table,
                  invocation.json ? Shape::json
                  : terminal      ? Shape::table
                                  : Shape::plain,
                  moment);
  listing.heads();
  // The heads, the line about left-out rows, the totals, the footnote, and the cursor's line.
  constexpr unsigned kAround = 5;
  if (lines != 0) listing.cut_after(lines > kAround ? lines - kAround : 1);
  const int code = locks.show(listing);
  if (!terminal || invocation.json) return code;
  const std::string_view end = table.end_of_line();
  if (!listing.any()) to.text("nobody holds or waits").text(end);
  if (listing.cut() != 0) to.text("... and ").number(listing.cut()).text(" more").text(end);
  if (listing.totals().held + listing.totals().waiting > 1) say_totals(listing.totals(), end, to);
  if (listing.doubted()) to.text("?: by its record only; see atmost-list(1)").text(end);
  return code;
}

// The directory in which names were looked up: root and users have different locks of one name.
void say_where(Locks& locks, Output& to, std::string_view end = "\n") {
  to.text("locks in ").escaped(locks.directory()).text(end);
}

int watch(Locks& locks, const Invocation& invocation, Output& to, bool terminal) {
  constexpr std::string_view kHideCursor = "\x1b[?25l";
  constexpr std::string_view kShowCursor = "\x1b[?25h";
  constexpr std::string_view kClear = "\x1b[H\x1b[J";
  constexpr std::string_view kHome = "\x1b[H";
  constexpr std::string_view kClearBelow = "\x1b[J";
  Table table;
  if (terminal) {
    table.overwrite();
    to.text(kHideCursor).text(kClear);
  }
  os::hold_signals();
  for (;;) {
    if (terminal) to.text(kHome);
    if (terminal && locks.all() && !invocation.json) say_where(locks, to, table.end_of_line());
    const unsigned screen = terminal ? terminal_size(1).lines : 0;
    const unsigned above = locks.all() && !invocation.json ? 1 : 0;
    show_once(locks, invocation, to, terminal, screen > above ? screen - above : screen, table);
    if (terminal) to.text(kClearBelow);
    if (!to.flush()) {
      os::release_signals();
      return finish(to);
    }
    const int signal = next_signal(Duration::seconds(1));
    if (signal == 0) continue;
    if (terminal) to.text(kShowCursor);
    to.flush();
    obey_signal(signal);
  }
}

}  // namespace

int list_command(Invocation& invocation) {
  static Locks locks(invocation);
  if (const Status prepared = locks.prepare(); !prepared.ok()) {
    complain(prepared.error());
    return static_cast<int>(prepared.error().code);
  }
  locks.warn_of_unknown();
  Output to(1);
  const bool terminal = os::is_terminal(1);
  if (invocation.watch) return watch(locks, invocation, to, terminal);
  if (locks.all() && terminal && !invocation.json) {
    say_where(locks, to);
  } else if (locks.all() && invocation.verbose) {
    Output where(2);
    where.text("atmost: ");
    say_where(locks, where);
    where.flush();
  }
  const int code = show_once(locks, invocation, to, terminal, 0);
  const int written = finish(to);
  return written != 0 ? written : code;
}

}  // namespace atmost::cli
