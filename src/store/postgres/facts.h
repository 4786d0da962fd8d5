// The facts of a lock in the database, read inside a transaction that has locked its row.
#ifndef ATMOST_STORE_POSTGRES_FACTS_H
#define ATMOST_STORE_POSTGRES_FACTS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "connection.h"
#include "core/view.h"
#include "rule/facts.h"
#include "rule/table.h"

namespace atmost::postgres {

// The rows of a lock and of a holder, and the clocks between which their moments are translated.

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

// The time without admissions, as rows of holders may be missing (admission.cc).
struct Era {
  std::optional<std::int64_t> pause_us;  // empty: this era was not seen before
  bool first = false;                    // no era was ever seen
  std::int64_t longest_us = 0;           // of all leases that were ever granted
};

// One lock of a request, as its caller sees it while the row is locked: only renewals and the clock
// change anything meanwhile. Waiters are read when the rule asks for them, a page at a time.
class LockFacts final : public rule::TableFacts {
 public:
  LockFacts(std::uint32_t in_request, std::string name) : index(in_request), key(std::move(name)) {}

  // Adds the statements of a look: the row is made, locked and read, `clearance` is done, and the
  // last statement reads the rest, as only statements that begin after the row is locked see what
  // the last transaction with it wrote.
  static constexpr std::size_t kStatements = 3;
  void add_look(std::vector<Statement>& to, const Request& request, std::uint64_t ticket,
                const ClientId& client, const std::string& clock,
                const std::vector<Statement>& clearance);
  // Reads their answers; `clocks` lacks the server's. Throws DatabaseError: malformed; or setup,
  // when another server process answered than the connection's: a pooling proxy.
  void read(std::span<const Rows> answers, const Connection& connection, const Clocks& clocks);
  // Begins the judgement, when holders that have ended are known. `paused`: no slot is free.
  void begin(const rule::Asker& asker, Connection& connection, const ClientId& client, bool paused,
             std::int64_t deadline_boot_ns);

  // For the doctor: as the next page of waiters is read.
  Statement ask_page(const ClientId& client) const;

  std::uint32_t reserve(std::uint32_t count) override;
  std::int64_t own_turn() override { return own_turn_ns_; }
  void note_turn(rule::Queue queue, std::uint64_t ticket, std::int64_t began_boot_ns) override;
  Stamp admission(std::uint32_t) override { return first_in_rate_; }
  bool ancestor() override;

  const rule::State& before() const { return state_; }
  const Clocks& clocks() const { return clocks_; }

  const std::uint32_t index;  // in the request
  const std::string key;
  Era era;
  std::vector<Holder> holders_found;
  bool place_is_there = false;  // our own
  std::uint32_t places = 0;     // rows of waiters, ours too, and those of the dead
  std::uint32_t ahead = 0;      // waiters in front of our place that claim what is free
  struct Note {
    std::uint64_t ticket;
    std::int64_t began_boot_ns;  // 0: the turn was used
  };
  std::vector<Note> notes;  // of turns, to be written
  // The error of a page that could not be read.
  std::optional<DatabaseError> broken;

 private:
  bool read_more() override;

  rule::State state_;
  std::vector<std::uint32_t> drained_;
  std::vector<std::uint32_t> taken_over_;
  std::vector<HolderView> views_;
  std::vector<rule::Table::Queued> waiters_;
  bool all_waiters_ = false;
  std::int64_t own_turn_ns_ = 0;
  Stamp first_in_rate_;
  bool paused_ = false;
  rule::Asker asker_;
  // Of the look.
  Connection* connection_ = nullptr;
  const ClientId* client_ = nullptr;
  Clocks clocks_;
  std::int64_t deadline_ns_ = 0;
};

// A key that is a valid name of a row: printable ASCII. Keys are behind the last slash of a lock's
// path.
Result<std::string> key_of(const LockSpec& lock);

}  // namespace atmost::postgres

#endif
