// Facts of a lock that was read as a whole. For every store but those that ask the kernel; and for
// tests.
#ifndef ATMOST_RULE_TABLE_H
#define ATMOST_RULE_TABLE_H

#include "facts.h"

namespace atmost::rule {

// All of it is borrowed.
struct Table {
  struct Queued {
    Waiter waiter;
    Queue queue = 0;
    bool joins = false;
    // A note of judge() for apply(): waiter.turn_boot_ns from now on. Cleared by set().
    bool noted = false;
    std::int64_t noted_boot_ns = 0;
  };

  State state;
  std::span<const HolderView> holders;        // by slot
  bool writer = false;                        // one of them is exclusive
  std::span<const std::uint32_t> drained;     // slots
  std::span<const std::uint32_t> taken_over;  // slots whose holders others are stopping
  std::span<Queued> places;                   // by ticket; of all queues, the asker's too
  std::span<const Stamp> ring;                // the newest last; no fewer than a rate can ask for
  bool foreign_found = false;                 // Others::foreign
  Foreign foreign;
};

class TableFacts : public Facts {
 public:
  // Begins a look.
  void set(const Asker& asker, const Table& table);
  const Table& table() const { return table_; }
  std::span<const std::uint32_t> reserved() const override { return {reserved_, count_}; }
  bool any_noted() const;

  const State& state() override { return table_.state; }
  std::uint32_t reserve(std::uint32_t count) override;
  Others others() override;
  std::uint32_t held(std::uint32_t enough) override;
  std::uint32_t drained() override { return drained_; }
  Foreign foreign() override { return table_.foreign; }
  Waiter next_waiter(Queue queue, std::uint64_t after) override;
  std::int64_t own_turn() override;
  void note_turn(Queue queue, std::uint64_t ticket, std::int64_t began_boot_ns) override;
  Waiter joiner(std::uint64_t after) override;
  std::uint32_t waiting(std::uint32_t enough) override;
  Stamp admission(std::uint32_t back) override;
  std::span<const HolderView> holders(Holders which) override;

 protected:
  ~TableFacts() = default;
  // The waiters from now on: those before, and further ones that were read since.
  void show(std::span<Table::Queued> places) { table_.places = places; }
  // A store that does not read all waiters at once: reads and shows the next ones. False: there are
  // no others, or they cannot be read, which is noted as an error.
  virtual bool read_more() { return false; }

 private:
  // The first waiter behind `after`, other than the asker, that is wanted.
  template <class Wanted>
  Waiter first(std::uint64_t after, const Wanted& wanted);

  Asker asker_;
  Table table_;
  std::uint32_t looked_at_ = 0;  // the highest slot that reserve() has considered
  std::size_t next_holder_ = 0;
  std::uint32_t drained_ = 0;  // of these
  std::uint32_t count_ = 0;
  std::uint32_t reserved_[kMaxTake];
};

}  // namespace atmost::rule

#endif
