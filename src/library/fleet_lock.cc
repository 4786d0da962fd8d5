#include "fleet_lock.h"

#include <cerrno>

#include "core/outcome.h"
#include "core/programs.h"
#include "core/words.h"
#include "os/clock.h"
#include "os/packets.h"
#include "os/self.h"
#include "os/spawn.h"

namespace atmost::limiter {
namespace {

constexpr std::int64_t kLongestEndNs = 10'000'000'000;

// As `atmost SUBCOMMAND` finds programs.
PathText program_path() {
  const char* const chosen = os::variable("ATMOST_EXEC_PATH");
  PathText path(chosen != nullptr && chosen[0] != '\0' ? chosen : ATMOST_LIBEXEC);
  path.append("/").append(relay::kProgram);
  return path;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n') < text.size() ? text.find('\n') : text.size();
  const std::string_view line{text.data(), end};
  text.remove_prefix(end < text.size() ? end + 1 : end);
  return line;
}

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') break;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

// "12.345", or "null": never.
Duration seconds_of(std::string_view text) {
  if (text == "null") return Duration::forever();
  const std::size_t point = text.find('.') < text.size() ? text.find('.') : text.size();
  std::int64_t ns = static_cast<std::int64_t>(number_of(text)) * 1'000'000'000;
  std::int64_t weight = 100'000'000;
  for (std::size_t i = point + 1; i < text.size() && weight > 0; ++i, weight /= 10)
    ns += (text[i] - '0') * weight;
  return {ns};
}

Why why_of(std::string_view name) {
  for (unsigned i = 0; i < sizeof kWhyNames / sizeof kWhyNames[0]; ++i) {
    if (kWhyNames[i] == name) return static_cast<Why>(i);
  }
  return Why::no_slot;
}

Code code_of(std::uint64_t exit_code) {
  for (const Code known : {Code::usage, Code::unavailable, Code::cannot_create, Code::io,
                           Code::busy, Code::too_soon, Code::not_permitted}) {
    if (static_cast<std::uint64_t>(known) == exit_code) return known;
  }
  return Code::internal;
}

// The report of an `atmost run` that ended without an admission that came here.
Outcome outcome_of(const Request& request, std::string_view said) {
  const std::uint64_t code = number_of(take_line(said));
  const std::string_view kind = take_line(said);
  const std::string_view reason = take_line(said);
  const Duration retry_in = seconds_of(take_line(said));
  const std::uint64_t held = number_of(take_line(said));
  const std::string_view lock = take_line(said);
  Outcome outcome;
  if (kind != "busy" && kind != "too_soon") {
    outcome.error = error_of(code_of(code), 0, said);
    if (said.empty()) outcome.error.message.append("atmost run ended with ").append_unsigned(code);
    return outcome;
  }
  outcome.kind = Outcome::Kind::refused;
  Decision& decision = outcome.decision;
  decision.verdict = kind == "busy" ? Verdict::busy : Verdict::too_soon;
  decision.why = kind == "busy" ? why_of(reason) : Why::none;
  decision.retry_in = retry_in;
  decision.held = static_cast<std::uint32_t>(held);
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    if (request.locks[i].name.view() == lock) decision.lock = i;
  }
  return outcome;
}

}  // namespace

// Starts the process that asks. 0 or an errno value.
int FleetLock::start(const os::Fd& socket) {
  const PathText path = program_path();
  if (path.truncated()) return ENAMETOOLONG;
  Text<20> number;
  number.append_signed(socket.get());
  char* argv[Words::kMost + 5];
  std::size_t count = 0;
  for (const char* word : {path.c_str(), relay::kAsk, number.c_str(), "--"})
    argv[count++] = const_cast<char*>(word);
  for (std::size_t i = 0; i < arguments_.count(); ++i)
    argv[count++] = const_cast<char*>(arguments_.at(i).data());
  argv[count] = nullptr;
  const int inherit[] = {socket.get()};
  return os::start_unseen(
      {.argv = argv, .envp = os::environment(), .inherit = inherit, .inherit_count = 1});
}

Outcome FleetLock::ask(const Request& request, const os::WaitGate* gate) {
  close();
  int error;
  {
    const os::Locked locked(forks_);
    error = os::open_packet_pair(asker_, theirs_);
  }
  if (error == 0) error = start(theirs_);
  close_theirs();
  if (error == ENOENT || error == ENOTDIR) {
    close();
    return Outcome::failure(
        error_of(Code::unavailable, error,
                 "atmost-relay, by which programs use stores of many machines, is not installed"));
  }
  if (error != 0) {
    close();
    Outcome outcome =
        Outcome::failure(error_of(Code::internal, error, "atmost-relay cannot be started: "));
    outcome.error.message.append(errno_words(error));
    return outcome;
  }
  char packet[os::kMostPacket];
  for (;;) {
    std::size_t size = 0;
    const os::Packet got = os::receive_packet(asker_.get(), -1, packet, size, hold_, &forks_);
    if (got == os::Packet::received) return answer(request, {packet, size});
    if (got == os::Packet::closed) break;
    if (gate != nullptr && gate->interrupted()) {
      close();  // whoever asks sees it and leaves the queue
      return Outcome::failure(error_of(Code::interrupted, 0, "the wait was interrupted"));
    }
  }
  close();
  return Outcome::failure(
      error_of(Code::internal, 0, "atmost-relay, which asked the store, was killed"));
}

Outcome FleetLock::answer(const Request& request, std::string_view packet) {
  Outcome outcome;
  if (has_come_true(packet, outcome)) return outcome;
  close();
  if (!packet.starts_with(relay::kOver))
    return Outcome::failure(
        error_of(Code::internal, 0, "atmost-relay is of another version than this library"));
  packet.remove_prefix(relay::kOver.size());
  return outcome_of(request, packet);
}

bool FleetLock::has_come_true(std::string_view packet, Outcome& to) {
  if (!packet.starts_with(relay::kHeld) || !hold_.open()) return false;
  packet.remove_prefix(relay::kHeld.size());
  to.kind = Outcome::Kind::ran;
  to.token = number_of(packet);
  packet.remove_prefix(packet.find(' ') < packet.size() ? packet.find(' ') + 1 : packet.size());
  to.slot = static_cast<std::uint32_t>(number_of(packet));
  (void)os::send_packet(asker_.get(), relay::kKeep);
  return true;
}

bool FleetLock::is_held() const { return hold_.open() && !os::is_hung_up(hold_.get()); }

void FleetLock::let_go(bool success) {
  (void)os::send_packet(hold_.get(), success ? relay::kSuccess : relay::kFailure);
}

void FleetLock::await_end() {
  const std::int64_t end = os::boot_ns() + kLongestEndNs;
  char packet[os::kMostPacket];
  for (std::int64_t left; asker_.open() && (left = end - os::boot_ns()) > 0;) {
    std::size_t size = 0;
    os::Fd passed;
    const os::Packet got = os::receive_packet(asker_.get(), static_cast<int>(left / 1'000'000) + 1,
                                              packet, size, passed);
    if (got != os::Packet::interrupted) break;
  }
  close();
}

void FleetLock::hand_over() {
  const os::Locked locked(forks_);
  handed_over_ = true;
}

void FleetLock::close_theirs() {
  const os::Locked locked(forks_);
  theirs_.reset();
}

void FleetLock::close() {
  const os::Locked locked(forks_);
  hold_.reset();
  asker_.reset();
  theirs_.reset();
  handed_over_ = false;
}

// A child gets no lock that the parent's program does not have yet: it would keep the lock, and
// could not release it.
void FleetLock::close_private() {
  asker_.reset();
  theirs_.reset();
  if (!handed_over_) hold_.reset();
}

}  // namespace atmost::limiter
