// The holders and waiters of one lock after another, as rows or as JSON.
#ifndef ATMOST_CLI_LISTING_H
#define ATMOST_CLI_LISTING_H

#include <span>
#include <string_view>

#include "core/store.h"
#include "table.h"

namespace atmost::cli {

// The path of the script or program that a process of this machine runs, where its record has only
// `command`, the last part of its first word; empty when it is not known. `host`: of the process;
// empty: this machine. Borrows from `room`, which gets the beginning of a command line.
std::string_view path_of_process(std::int64_t pid, std::string_view host, std::string_view command,
                                 std::span<char> room);

enum class Shape : unsigned char {
  measure,  // write nothing, learn the widths
  table,    // for people
  plain,    // cells with tabs between
  json,     // one object a line
};

// A visitor that shows each entry. Ages are relative to `now`.
class Listing final : public LockVisitor {
 public:
  Listing(Output& to, Table& table, Shape shape, const Instant& now)
      : to_(to), table_(table), shape_(shape), now_(now) {}

  // Prints the column heads; not in JSON.
  void heads();
  // The lock whose holders come next.
  void begin(std::string_view lock);
  bool any() const { return any_; }
  // At most so many rows of the table are written.
  void cut_after(unsigned rows) { most_rows_ = rows; }
  // The number of rows that were left out.
  unsigned cut() const { return rows_ > most_rows_ ? rows_ - most_rows_ : 0; }
  // Counts of shown and left out rows, of all locks.
  struct Totals {
    std::uint32_t locks = 0;    // locks with rows
    std::uint32_t held = 0;     // slots
    std::uint32_t waiting = 0;  // waiters
    std::uint32_t queues = 0;   // that they wait in
    std::uint32_t max = 0;      // the N of the last of these queues
  };
  const Totals& totals() const { return totals_; }
  // True if some process was shown with a question mark.
  bool doubted() const { return doubted_; }

  void header(const Header& header) override;
  void drained_slot(std::uint32_t slot) override;
  void holder(const HolderView& holder) override;
  void waiter(const WaiterView& waiter) override;

 private:
  // A row to show; a number that is 0 is not known.
  struct Entry {
    std::string_view state;
    std::uint32_t slot = 0;
    std::uint32_t slots = 1;
    std::uint32_t position = 0;  // in the queue
    std::uint32_t max = 0;       // of the queue
    const RecordedLimit* limit = nullptr;
    std::int64_t pid = 0;
    std::int64_t kept_for = 0;
    bool has_user = false;
    std::uint32_t user = 0;
    std::string_view host;  // of the process; empty: this machine
    Stamp start;
    Duration expire_after = Duration::forever();
    std::uint64_t token = 0;
    std::string_view id;
    std::string_view command;
    bool verified = false;
  };
  void show(const Entry& entry);
  // Of the script or program; borrows from words_.
  std::string_view path_of(const Entry& entry);
  std::int64_t age_of(const Entry& entry) const;
  void show_row(const Entry& entry);
  void show_json(const Entry& entry);

  Output& to_;
  Table& table_;
  Shape shape_;
  const Instant& now_;
  std::string_view lock_;
  std::uint32_t queue_max_ = 0;
  std::uint32_t position_ = 0;
  Totals totals_;
  bool begun_ = false;
  bool any_ = false;
  bool doubted_ = false;
  unsigned rows_ = 0;
  unsigned most_rows_ = UINT32_MAX;
  char words_[4096];  // the beginning of a command line
};

// The command of a process, for people: the script or program by its path where the record has only
// the first word's last part ("sh"). Taken from the command line as it is now, which the process
// may have rewritten; never for decisions.
// `words`: a command line in the format of /proc/PID/cmdline, each word ended by a NUL: the
// command's, or that of an atmost that runs it. `label`: the command's name from its record.
// Returns the path of the program, or of the script that a known interpreter was given as its first
// argument; empty if there is none or it is uncertain. Options, their values and words that may
// carry something secret (with "=", "@" or "://") are never returned. Borrows from `words`.
std::string_view path_of_command(std::string_view words, std::string_view label);

}  // namespace atmost::cli

#endif
