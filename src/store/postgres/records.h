// The rows of a lock and of a holder, and the clocks between which their moments are translated.
#ifndef ATMOST_STORE_POSTGRES_RECORDS_H
#define ATMOST_STORE_POSTGRES_RECORDS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connection.h"
#include "core/view.h"
#include "rule/facts.h"

namespace atmost::postgres {

// A moment of the server's clock, in microseconds since 1970.
using Micros = std::int64_t;
// In 2262: later moments do not fit into nanoseconds.
inline constexpr Micros kLastMicros = INT64_MAX / 1000;

// The server's clock and ours at the same moment: a moment of one is as long ago by the other.
struct Clocks {
  Instant now;
  std::int64_t turns_boot_ns = 0;  // rule::Caller
  Micros server = 0;

  Stamp stamp(std::optional<Micros> at) const;           // none: not known
  std::int64_t boot_ns(std::optional<Micros> at) const;  // none: 0
  Micros micros(const Stamp& stamp) const;
  Micros micros(std::int64_t boot_ns) const { return server + (boot_ns - turns_boot_ns) / 1000; }
};

// One slot.
struct Holder {
  HolderView view;
  std::int64_t boot = 0;
  bool exclusive = false;
  std::int64_t left_us = 0;  // of its lease
  // Its lease has ended by the server's clock, and it counts as gone. That clock may have been set:
  // so it is asked first (`doubted`), and has time to answer.
  bool expired = false;
  bool doubted = false;
};
// The columns of a holder, the first of them in `column`.
std::string holder_columns();
inline constexpr int kHolderColumns = 12;
Holder read_holder(const Rows& rows, int row, int column, const Clocks& clocks);

// Locks the row of a lock that exists, and reads it. `clock`: an SQL expression.
Statement read_row(const std::string& key, std::uint32_t rate, const std::string& clock);
// The server's clock when that statement began, the state, and the slots that are drained.
Micros clock_of(const Rows& row);
rule::State state_of(const Rows& row, const Clocks& clocks);
std::vector<std::uint32_t> drained_of(const Rows& row);
// `before`: as it was read.
Statement write_row(const std::string& key, const rule::State& before, const rule::LockPlan& plan,
                    const Clocks& clocks, const std::string& clock);

}  // namespace atmost::postgres

#endif
