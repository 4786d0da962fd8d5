#include "table.h"

namespace atmost::rule {
namespace {

bool contains(std::span<const std::uint32_t> all, std::uint32_t slot) {
  for (const std::uint32_t each : all) {
    if (each == slot) return true;
  }
  return false;
}

}  // namespace

void TableFacts::set(const Asker& asker, const Table& table) {
  clear_error();
  plan = LockPlan();
  asker_ = asker;
  table_ = table;
  for (Table::Queued& each : table_.places) each.noted = false;
  looked_at_ = count_ = 0;
  next_holder_ = 0;
  drained_ = 0;
}

bool TableFacts::any_noted() const {
  for (const Table::Queued& each : table_.places) {
    if (each.noted) return true;
  }
  return false;
}

std::uint32_t TableFacts::reserve(std::uint32_t count) {
  if (asker_.lock->mode == Mode::exclusive) {
    if (!table_.holders.empty() || table_.foreign_found) return 0;
    reserved_[0] = 1;
    return count_ = 1;
  }
  const bool newcomer = asker_.ticket == 0;
  while (count_ < count && looked_at_ < asker_.lock->max) {
    const std::uint32_t slot = ++looked_at_;
    while (next_holder_ < table_.holders.size() && table_.holders[next_holder_].slot < slot)
      ++next_holder_;
    const bool held =
        next_holder_ < table_.holders.size() && table_.holders[next_holder_].slot == slot;
    const bool drained = contains(table_.drained, slot);
    if (drained) ++drained_;
    if (held || drained || (newcomer && contains(table_.taken_over, slot))) continue;
    reserved_[count_++] = slot;
  }
  return count_;
}

Others TableFacts::others() {
  Others found;
  for (const HolderView& each : table_.holders) {
    if (each.slot > asker_.lock->max) ++found.above;
  }
  found.writer = table_.writer;
  found.taking_over = !table_.taken_over.empty();
  found.foreign = table_.foreign_found;
  return found;
}

std::uint32_t TableFacts::held(std::uint32_t) {
  return static_cast<std::uint32_t>(table_.holders.size());
}

template <class Wanted>
Waiter TableFacts::first(std::uint64_t after, const Wanted& wanted) {
  do {
    for (const Table::Queued& each : table_.places) {
      const std::uint64_t ticket = each.waiter.ticket;
      if (wanted(each) && ticket > after && ticket != asker_.ticket) return each.waiter;
    }
  } while (read_more());
  return {};
}

Waiter TableFacts::next_waiter(Queue queue, std::uint64_t after) {
  return first(after, [&](const Table::Queued& each) { return each.queue == queue; });
}

std::int64_t TableFacts::own_turn() {
  for (const Table::Queued& each : table_.places) {
    if (each.waiter.ticket == asker_.ticket) return each.waiter.turn_boot_ns;
  }
  return 0;
}

void TableFacts::note_turn(Queue queue, std::uint64_t ticket, std::int64_t began_boot_ns) {
  for (Table::Queued& each : table_.places) {
    if (each.waiter.ticket != ticket || each.queue != queue) continue;
    each.noted = true;
    each.noted_boot_ns = began_boot_ns;
  }
}

Waiter TableFacts::joiner(std::uint64_t after) {
  return first(after, [](const Table::Queued& each) { return each.joins; });
}

std::uint32_t TableFacts::waiting(std::uint32_t enough) {
  for (;;) {
    std::uint32_t count = 0;
    for (const Table::Queued& each : table_.places) {
      if (each.waiter.ticket != asker_.ticket) ++count;
    }
    if (count >= enough || !read_more()) return count < enough ? count : enough;
  }
}

Stamp TableFacts::admission(std::uint32_t back) {
  return back <= table_.ring.size() ? table_.ring[table_.ring.size() - back] : Stamp{};
}

std::span<const HolderView> TableFacts::holders(Holders) { return table_.holders; }

}  // namespace atmost::rule
