#include "show.h"

#include <pwd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "core/words.h"
#include "reader/safe_text.h"

namespace atmost::history {
namespace {

constexpr std::size_t kRowsAtOnce = 512;

bool has(std::int64_t value) { return value != Record::kAbsent; }
std::string number(std::int64_t value) {
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
  std::string to = record.why == "too_soon" ? "too soon" : "busy";
  if (record.why == "no_slot") {
    if (has(record.held))
      to.append(": " + number(record.held) + " of " + number(record.max) + " held");
  } else if (record.why != "too_soon" && !record.why.empty()) {
    to.append(": ").append(shown(record.why));
    std::replace(to.begin(), to.end(), '_', ' ');
  }
  if (has(record.waiters) && record.waiters > 0) join(to, number(record.waiters) + " waiting");
  if (has(record.retry_in_ns) && record.retry_in_ns != Record::kNever) {
    join(to, "again in " + std::string(duration_words_up({record.retry_in_ns}).view()));
  }
  return to;
}

std::string ending(const Record& record) {
  if (!record.started) return "not started (" + number(record.exit) + ")";
  std::string to;
  if (!record.stopped.empty()) {
    to = record.stopped == "max_runtime"   ? "stopped by --max-runtime"
         : record.stopped == "idle"        ? "stopped by --max-idle"
         : record.stopped == "caller_gone" ? "stopped with its caller"
         : record.stopped == "killed"      ? "stopped by atmost kill"
         : record.stopped == "taken_over"  ? "stopped: taken over"
                                           : "stopped: " + shown(record.stopped);
  }
  join(to,
       record.signal.empty() ? "exit " + number(record.exit) : "signal " + shown(record.signal));
  if (record.core) to.append(" (core)");
  if (record.too_fast || record.suspicious) to.append(", too fast");
  if (has(record.ran_ns)) to.append(" after " + span(record.ran_ns));
  if (has(record.cpu_ns)) join(to, span(record.cpu_ns) + " CPU");
  if (has(record.peak_kib)) join(to, size(record.peak_kib));
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
      to = "holder " + number(record.holder_pid);
      if (has(record.age_ns)) join(to, "since " + span(record.age_ns));
      if (has(record.expire_after_ns)) join(to, "limit " + span(record.expire_after_ns));
      break;
    case Event::Kind::stopping:
      to = "holder " + number(record.holder_pid);
      if (has(record.age_ns)) join(to, "since " + span(record.age_ns));
      join(to, record.why == "kill"   ? "by atmost kill"
               : record.why == "idle" ? "idle"
                                      : "by --on-busy=replace");
      break;
    case Event::Kind::vanished:
      to = "the run of " + number(record.holder_pid) + " ended without a trace";
      break;
    case Event::Kind::undelivered:
      return shown(record.to) + ": " + shown(record.why);
    case Event::Kind::signalled:
      to = shown(record.signal) + " to " + number(record.holder_pid) +
           (record.worked ? ", worked" : "");
      break;
    case Event::Kind::lost:
      if (has(record.holder_pid)) to = "to " + number(record.holder_pid);
      break;
  }
  constexpr std::int64_t kWorthTelling = 1'000'000;
  if (has(record.waited_ns) && record.waited_ns >= kWorthTelling)
    join(to, "waited " + span(record.waited_ns));
  if (record.kind == Event::Kind::admitted && record.take > 1)
    join(to, "took " + number(record.take));
  return to;
}

}  // namespace

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
  if (shape_ == Shape::table) {
    for (const Row& row : rows_) {
      for (std::size_t i = 0; i < kColumns; ++i)
        widths_[i] = std::max(widths_[i], width_of(row[i]));
    }
  }
  for (const Row& row : rows_) write(row);
  rows_.clear();
  std::fflush(stdout);
}

void Show::write_heads() {
  if (headed_) return;
  headed_ = true;
  rows_.push_back({"TIME", "EVENT", "LOCK", "SLOT", "PID", "USER", "COMMAND", "DETAILS"});
}

void Show::write(const Row& row) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i) {
    line.append(row[i]);
    if (i + 1 == kColumns) break;
    if (shape_ == Shape::plain) {
      line.push_back('\t');
    } else {
      line.append(widths_[i] - width_of(row[i]) + 2, ' ');
    }
  }
  if (shape_ == Shape::table) line.erase(line.find_last_not_of(' ') + 1);
  line.push_back('\n');
  std::fwrite(line.data(), 1, line.size(), stdout);
}

Show::Row Show::row_of(const Record& record) {
  return {moment_of(record),  shown(record.event), shown(record.lock),    number(record.slot),
          number(record.pid), user_of(record.uid), shown(record.command), details(record)};
}

std::string Show::moment_of(const Record& record) {
  if (shape_ == Shape::plain) return shown(record.time);
  const std::time_t seconds = record.at_ns / 1'000'000'000;
  struct tm parts;
  char words[64];
  if (localtime_r(&seconds, &parts) == nullptr) return shown(record.time);
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
