#include "show.h"

#include <pwd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "core/words.h"
#include "reader/output.h"

namespace atmost::history {
namespace {

constexpr std::size_t kRowsAtOnce = 512;
constexpr std::size_t kGap = 2;
constexpr std::size_t kIndent = 4;  // of details in a line of their own
enum Cell : std::size_t { kTime, kEvent, kLock, kSlot, kPid, kUser, kCommand, kDetails };

bool has(std::int64_t value) { return value != Record::kAbsent; }
std::string digits(std::int64_t value) {
  return has(value) ? std::to_string(value) : std::string();
}

std::string span(std::int64_t ns) { return std::string(duration_words({ns < 0 ? 0 : ns}).view()); }

std::string size(std::int64_t kib) {
  constexpr std::int64_t kMib = 1024;
  constexpr std::int64_t kGib = 1024 * kMib;
  if (kib < 10 * kMib) return std::to_string(kib) + " KiB";
  if (kib < 10 * kGib) return std::to_string(kib / kMib) + " MiB";
  return std::to_string(kib / kGib) + " GiB";
}

void join(std::string& to, const std::string& more) {
  if (!to.empty()) to.append(", ");
  to.append(more);
}

std::string denial(const Record& record) {
  std::string to = record.text("why") == "too_soon" ? "too soon" : "busy";
  if (record.text("why") == "no_slot") {
    if (has(record.number("held")))
      to.append(": " + digits(record.number("held")) + " of " + digits(record.number("max")) +
                " held");
  } else if (record.text("why") != "too_soon" && !record.text("why").empty()) {
    to.append(": ").append(shown(record.text("why")));
    std::replace(to.begin(), to.end(), '_', ' ');
  }
  if (has(record.number("waiters")) && record.number("waiters") > 0)
    join(to, digits(record.number("waiters")) + " waiting");
  if (has(record.ns("retry_in_s")) && record.ns("retry_in_s") != Record::kNever) {
    join(to, "again in " + std::string(duration_words_up({record.ns("retry_in_s")}).view()));
  }
  return to;
}

std::string ending(const Record& record) {
  if (!record.flag("started", true)) return "not started (" + digits(record.number("exit")) + ")";
  std::string to;
  if (!record.text("stopped").empty()) {
    to = record.text("stopped") == "max_runtime"   ? "stopped by --max-runtime"
         : record.text("stopped") == "idle"        ? "stopped by --max-idle"
         : record.text("stopped") == "caller_gone" ? "stopped with its caller"
         : record.text("stopped") == "killed"      ? "stopped by atmost kill"
         : record.text("stopped") == "taken_over"  ? "stopped: taken over"
                                                   : "stopped: " + shown(record.text("stopped"));
  }
  join(to, record.text("signal").empty() ? "exit " + digits(record.number("exit"))
                                         : "signal " + shown(record.text("signal")));
  if (record.flag("core")) to.append(" (core)");
  if (record.flag("too_fast") || record.flag("suspicious")) to.append(", too fast");
  if (has(record.ns("ran_s"))) to.append(" after " + span(record.ns("ran_s")));
  if (has(record.ns("cpu_s"))) join(to, span(record.ns("cpu_s")) + " CPU");
  if (has(record.number("peak_kib"))) join(to, size(record.number("peak_kib")));
  return to;
}

std::string details(const Record& record) {
  std::string to;
  switch (record.kind) {
    case Event::Kind::admitted:
      break;
    case Event::Kind::denied:
      to = denial(record);
      break;
    case Event::Kind::ended:
      return ending(record);
    case Event::Kind::expired:
      to = "holder " + digits(record.number("holder_pid"));
      if (has(record.ns("age_s"))) join(to, "since " + span(record.ns("age_s")));
      if (has(record.ns("expire_after_s"))) join(to, "limit " + span(record.ns("expire_after_s")));
      break;
    case Event::Kind::stopping:
      to = "holder " + digits(record.number("holder_pid"));
      if (has(record.ns("age_s"))) join(to, "since " + span(record.ns("age_s")));
      join(to, record.text("why") == "kill"   ? "by atmost kill"
               : record.text("why") == "idle" ? "idle"
               : record.text("why") == "unsupervised"
                   ? "at its --max-runtime, without its supervisor"
                   : "by --on-busy=replace");
      break;
    case Event::Kind::vanished:
      to = "the run of " + digits(record.number("holder_pid")) + " ended without a trace";
      break;
    case Event::Kind::undelivered:
      return shown(record.text("to")) + ": " + shown(record.text("why"));
    case Event::Kind::unreached:
      to = shown(record.text("signal")) + " to process " + digits(record.number("process")) +
           " was refused";
      if (has(record.number("process_uid")))
        to += ": it is user " + digits(record.number("process_uid")) + "'s";
      break;
    case Event::Kind::signalled:
      to = shown(record.text("signal")) + " to " + digits(record.number("holder_pid")) +
           (record.flag("worked") ? ", worked" : "");
      break;
    case Event::Kind::limited:
      return shown(record.text("from")) + " to " + shown(record.text("to"));
    case Event::Kind::lost:
      if (has(record.number("holder_pid"))) to = "to " + digits(record.number("holder_pid"));
      break;
  }
  constexpr std::int64_t kWorthTelling = 1'000'000;
  if (has(record.ns("waited_s")) && record.ns("waited_s") >= kWorthTelling)
    join(to, "waited " + span(record.ns("waited_s")));
  if (record.kind == Event::Kind::admitted && record.number("take") > 1)
    join(to, "took " + digits(record.number("take")));
  return to;
}

}  // namespace

Show::Show(Shape shape) : shape_(shape) {
  if (shape == Shape::table) paper_ = look_at_paper();
}

void Show::add(const Record& record) {
  if (shape_ == Shape::lines) {
    std::fwrite(record.line.data(), 1, record.line.size(), stdout);
    std::putc('\n', stdout);
    return;
  }
  write_heads();
  rows_.push_back(row_of(record));
  if (rows_.size() >= kRowsAtOnce) flush();
}

void Show::flush() {
  if (shape_ == Shape::table) fit();
  for (const Row& row : rows_) shape_ == Shape::table ? write(row) : write_plain(row);
  rows_.clear();
  std::fflush(stdout);
}

void Show::write_heads() {
  if (headed_) return;
  headed_ = true;
  rows_.push_back({"TIME", "EVENT", "LOCK", "SLOT", "PID", "USER", "COMMAND", "DETAILS"});
}

void Show::fit() {
  constexpr std::size_t kEnough = 30;  // cells for details
  constexpr std::size_t kLeastDetails = 20;
  constexpr std::size_t kLeastName = 16;
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < kColumns; ++i)
      widths_[i] = std::max(widths_[i], display_width(row[i]));
  }
  const auto before_details = [this] {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < kDetails; ++i) sum += hidden_[i] ? 0 : widths_[i] + kGap;
    return sum;
  };
  const std::size_t width = paper_.width;
  const std::size_t wanted = std::min(widths_[kDetails], kEnough);
  for (const Cell cell : {kSlot, kPid, kUser}) {
    if (width > 0 && before_details() + wanted > width) hidden_[cell] = true;
  }
  details_at_ = before_details();
  if (width == 0) return;
  if (details_at_ + wanted > width) {
    const std::size_t excess = details_at_ + wanted - width;
    widths_[kLock] = std::max(kLeastName, widths_[kLock] - std::min(widths_[kLock], excess));
    details_at_ = before_details();
  }
  if (details_at_ + std::min(wanted, kLeastDetails) > width) details_at_ = kIndent;
  details_room_ = width - std::min(width, details_at_);
}

void Show::write_plain(const Row& row) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i) line.append(i > 0 ? "\t" : "").append(row[i]);
  line.push_back('\n');
  std::fwrite(line.data(), 1, line.size(), stdout);
}

void Show::write(const Row& row) {
  std::string text;
  for (std::size_t i = 0; i < kDetails; ++i) {
    if (hidden_[i]) continue;
    const std::string cell = i == kLock ? cut_name(row[i], widths_[i], paper_.utf8) : row[i];
    text.append(cell).append(widths_[i] - std::min(widths_[i], display_width(cell)) + kGap, ' ');
  }
  std::string rest = row[kDetails];
  if (details_at_ == kIndent && !rest.empty()) {
    text.erase(text.find_last_not_of(' ') + 1);
    text.append("\n").append(kIndent, ' ');
  }
  while (details_room_ > 0 && display_width(rest) > details_room_) {
    const std::size_t blank = rest.rfind(' ', details_room_);
    if (blank == std::string::npos) break;
    text.append(rest, 0, blank).append("\n").append(details_at_, ' ');
    rest.erase(0, blank + 1);
  }
  text.append(rest);
  text.erase(text.find_last_not_of(' ') + 1);
  text.push_back('\n');
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Show::Row Show::row_of(const Record& record) {
  return {moment_of(record),
          shown(record.text("event")),
          shown(record.text("lock")),
          digits(record.number("slot")),
          digits(record.number("pid")),
          user_of(record.number("uid")),
          shown(record.text("command")),
          details(record)};
}

std::string Show::moment_of(const Record& record) {
  if (shape_ == Shape::plain) return shown(record.text("time"));
  const std::time_t seconds = record.ns("at") / 1'000'000'000;
  struct tm parts;
  char words[64];
  if (localtime_r(&seconds, &parts) == nullptr) return shown(record.text("time"));
  return {words, std::strftime(words, sizeof words, "%Y-%m-%d %H:%M:%S", &parts)};
}

const std::string& Show::user_of(std::int64_t uid) {
  const auto [place, is_new] = users_.try_emplace(uid);
  if (is_new && has(uid)) {
    const struct passwd* entry = getpwuid(static_cast<uid_t>(uid));
    place->second = entry != nullptr ? entry->pw_name : std::to_string(uid);
  }
  return place->second;
}

}  // namespace atmost::history
