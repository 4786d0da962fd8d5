// A command's messages to the supervisors above it. Each of them put its pid, its start and its
// locks into ATMOST_BEAT, and takes a signal with a value from whoever may signal it: its own user
// and root. A process that has the same pid later, or that is not above the caller, gets no signal.
#include <cerrno>

#include "core/limiter.h"
#include "core/parse.h"
#include "environment.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/self.h"
#include "os/signals.h"

namespace atmost {
namespace {

// Cuts the text before `end`, or all of it, off.
std::string_view take_until(std::string_view& from, char end) {
  const std::size_t at = from.find(end);
  const std::string_view taken(from.data(), at < from.size() ? at : from.size());
  from.remove_prefix(at < from.size() ? at + 1 : from.size());
  return taken;
}

bool lists(const char* held, std::string_view path) {
  std::string_view rest = held != nullptr ? held : "";
  if (path.empty()) return !rest.empty();
  while (!rest.empty()) {
    if (take_until(rest, ':') == path) return true;
  }
  return false;
}

// Until the supervisor has read the last beat: the next one would be lost. A supervisor that is
// stopped reads none.
void await_reading(std::int64_t supervisor) {
  constexpr std::int64_t kPauseNs = 1'000'000;
  const std::int64_t until_ns = os::boot_ns() + 2'000'000'000;
  while (os::is_pending(supervisor, os::kBeat) && os::boot_ns() < until_ns)
    os::sleep_until(os::boot_ns() + kPauseNs);
}

int notify(std::string_view entry, int number) {
  const Result<std::uint64_t> pid = parse_count(take_until(entry, ','), 2, INT32_MAX);
  const Result<std::uint64_t> start = parse_count(take_until(entry, ','), 0, INT64_MAX);
  if (!pid.ok() || !start.ok()) return ESRCH;
  const auto supervisor = static_cast<std::int64_t>(pid.value());
  os::ProcessHandle handle;
  if (const int error = handle.open(supervisor)) return error;
  os::ProcessFacts facts;
  const bool same = os::process_facts(supervisor, facts) == 0 &&
                    facts.start_boot_ns == static_cast<std::int64_t>(start.value()) &&
                    os::is_ancestor(supervisor);
  if (!same) return ESRCH;
  await_reading(supervisor);  // of another caller's
  const int error = handle.send_number(os::kBeat, number);
  if (error == 0) await_reading(supervisor);
  return error;
}

}  // namespace

Result<Beat> beat(std::string_view path, Duration eta) {
  ScopedArena texts;
  Text<3 * 4096> wanted;
  const bool relative = !path.empty() && !path.starts_with('/');
  limiter::append_listed(wanted, path, relative ? os::working_directory(texts) : nullptr);
  const char* const watchers = os::variable(limiter::kBeatVariable.data());
  std::string_view rest = watchers != nullptr ? watchers : "";
  bool watched = false;
  bool told = false;
  bool denied = false;
  while (!rest.empty()) {
    const std::string_view entry = take_until(rest, ':');
    std::string_view lock = entry;
    take_until(lock, ',');
    take_until(lock, ',');
    if (!path.empty() && lock != wanted.view()) continue;
    watched = true;
    // A value of 0 would be a signal of somebody else.
    const int error = notify(entry, static_cast<int>(eta.ns / 1'000'000) + 1);
    told = told || error == 0;
    denied = denied || error == EPERM;
  }
  if (denied && !eta.is_zero())
    return error_of(Code::not_permitted, EPERM, "beat: the supervisor is another user's");
  if (told || denied) return Beat::told;
  if (watched) return Beat::unreachable;
  return lists(os::variable("ATMOST_HELD"), wanted) ? Beat::unwatched : Beat::outside;
}

}  // namespace atmost
