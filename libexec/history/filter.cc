#include "filter.h"

#include <filesystem>
#include <utility>

#include "history/value.h"

namespace atmost::history {
namespace {

template <class E>
constexpr unsigned bit(E value) {
  return 1u << static_cast<unsigned>(value);
}

bool stands_for(std::string_view raw, const std::string& text) {
  return raw.find('\\') == std::string_view::npos ? raw == text : text_of(raw) == text;
}

}  // namespace

std::string text_of(std::string_view raw) {
  std::string text(raw.size(), '\0');  // no escape is shorter than what it stands for
  text.resize(unescape_json(raw, text.data(), text.size()));
  return text;
}

HowItEnded outcome_of(const Record& record) {
  switch (record.kind) {
    case Event::Kind::denied:
      return record.why == "too_soon" ? HowItEnded::too_soon : HowItEnded::busy;
    case Event::Kind::lost:
      return HowItEnded::lost;
    case Event::Kind::ended:
      break;
    default:
      return HowItEnded::none;
  }
  if (record.stopped == "max_runtime") return HowItEnded::timed_out;
  if (record.stopped == "lost") return HowItEnded::lost;
  if (!record.signal.empty()) return HowItEnded::killed;
  return record.exit == 0 ? HowItEnded::success : HowItEnded::failure;
}

Filter::Filter(const Options& options, std::vector<WantedLock> locks)
    : since_(options.since_ns), until_(options.until_ns), locks_(std::move(locks)) {
  for (Event::Kind kind : options.kinds) kinds_ |= bit(kind);
  for (HowItEnded outcome : options.outcomes) outcomes_ |= bit(outcome);
}

bool Filter::wants(const Record& record) const {
  if (record.at_ns < since_ || record.at_ns >= until_) return false;
  if (kinds_ != 0 && (kinds_ & bit(record.kind)) == 0) return false;
  if (outcomes_ != 0 && (outcomes_ & bit(outcome_of(record))) == 0) return false;
  return locks_.empty() || wants_lock(record);
}

bool Filter::wants_lock(const Record& record) const {
  for (const WantedLock& lock : locks_) {
    if (!lock.name.empty() && stands_for(record.lock, lock.name)) return true;
    for (const std::string& path : lock.paths) {
      if (stands_for(record.path, path)) return true;
    }
    // "/a/./b" and the like, from callers that wrote it so.
    if (record.path.find("/.") == std::string_view::npos && record.path.find("//") == std::string_view::npos)
      continue;
    const std::string plain = std::filesystem::path(text_of(record.path)).lexically_normal();
    for (const std::string& path : lock.paths) {
      if (plain == path) return true;
    }
  }
  return false;
}

}  // namespace atmost::history
