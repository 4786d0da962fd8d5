// The values of keys: for people, for ages, for queues. All of it is a hint but `take`, `max` and
// `mode`.
#ifndef ATMOST_STORE_ETCD_RECORDS_H
#define ATMOST_STORE_ETCD_RECORDS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/request.h"
#include "core/view.h"

namespace atmost::etcd {

// When a waiter's turn began, by the boot clock of the machine that saw it begin.
struct Turn {
  std::uint64_t place = 0;   // own_place()
  std::int64_t boot_ns = 0;  // 0: it had none
  friend bool operator==(const Turn&, const Turn&) = default;
};

// A holder or a waiter.
struct Record {
  std::uint32_t max = 1;
  std::uint32_t take = 1;
  Mode mode = Mode::plain;
  bool joins = false;
  // Of a waiter that waits for its rate; else 0.
  Rate rate;
  std::string host;
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  std::int64_t real_ns = 0;
  std::int64_t boot_ns = 0;
  std::uint64_t boot = 0;  // the boot whose clock boot_ns is; 0: not known
  std::int64_t expire_ns = Duration::kForever;
  std::int64_t ttl_ns = 0;  // of its lease
  std::string id;
  std::string command;
  // Of a place: its caller waits for something else than this lock; and when its turn began.
  bool parked = false;
  Turn turn;

  std::string text() const;
  Stamp start(std::uint64_t boot_here) const;
};

// This caller's.
Record own_record(const Request& request, const LockSpec& lock, const Instant& now);

// Empty: the value was not written by atmost.
std::optional<Record> parse_record(std::string_view text);

// The value of a/state.
struct State {
  bool drained = false;
  std::vector<std::uint32_t> drained_slots;  // ascending
  std::uint32_t refusals = 0;
  std::uint64_t refused_since = 0;  // the admission that they follow
  std::uint32_t failures = 0;       // runs in a row that failed, of callers that ask for them
  std::uint64_t forgotten = 0;      // the admission that was forgotten, and every earlier one

  std::string text() const;
};
std::optional<State> parse_state(std::string_view text);

// A moment: of a/last, a/finish, a/success.
std::string moment_text(const Instant& now, std::uint64_t boot);
std::optional<Stamp> parse_moment(std::string_view text, std::uint64_t boot_here);
// The machine whose boot clock the moment is of (own_place()); 0: not known.
std::uint64_t place_of_moment(std::string_view text);

// The value of a/cool/POINT, which proves how long ago the moment was that an interval counts from.
// The first witness is the machine of that moment.
struct Cooled {
  // A boot of a machine, and a moment of its boot clock that is not before the interval's moment.
  struct Witness {
    std::uint64_t place = 0;
    std::int64_t boot_ns = 0;
  };
  static constexpr std::size_t kMostWitnesses = 64;

  std::int64_t span_s = 0;     // of the interval, and a little more
  std::int64_t lease_s = 0;    // of the lease that the key lies under
  std::int64_t before_ns = 0;  // the least time from the moment to the request for that lease;
                               // negative: the request came first
  std::vector<Witness> witnesses;

  // The least time since the moment, by this machine's own clock; -1 if this machine did not see
  // it.
  std::int64_t seen_ago(std::uint64_t place, std::int64_t boot_ns) const;
  std::string text() const;
};
// For an interval that begins now; without a witness.
Cooled interval_of(Duration interval);
std::optional<Cooled> parse_cooled(std::string_view text);

// True if the request has an interval that ends.
inline bool has_interval(const Request& request) {
  return !request.if_elapsed.is_zero() && !request.if_elapsed.is_forever();
}

// This boot of this machine; 0: it is not known.
std::uint64_t own_place();

// A request to stop: the hold with this token, if it is at least due_ns old.
struct Ask {
  std::uint64_t token = 0;
  std::int64_t due_ns = 0;

  std::string text() const;
};
std::optional<Ask> parse_ask(std::string_view text);

}  // namespace atmost::etcd

#endif
