// Every state of a lock and up to three callers, one of which asks: judge()'s answer against what
// holds for each. No sampling.
//   enumerate [all]
// N and K up to 2, all modes; of each other caller: absent, holding, or waiting in front of the
// asker or behind it, with its turn, its rate's moment, parked or not; of the asker: its rate, and
// whether it waits. `all`: also drained slots, takeovers and the last admission. Prints the first
// faults and how many states there were; exit code 2: there was a fault.
#include <cstdio>
#include <cstring>

#include "core/turn.h"
#include "oracle.h"

namespace atmost::rule {
namespace {

constexpr std::int64_t kMillis = 1'000'000;

struct Spec {
  Mode mode;
  std::uint32_t max, take;
};
constexpr Spec kSpecs[] = {{Mode::plain, 1, 1},     {Mode::plain, 2, 1},    {Mode::plain, 2, 2},
                           {Mode::shared, 1, 1},    {Mode::shared, 2, 1},   {Mode::shared, 2, 2},
                           {Mode::exclusive, 1, 1}, {Mode::exclusive, 2, 1}};
// When a waiter's turn began: none; running; ended now, shortly and long ago.
constexpr std::int64_t kTurnsAgo[] = {0, 400 * kMillis, 1'000 * kMillis, 1'250 * kMillis,
                                      5'000 * kMillis};
constexpr std::int64_t kDues[] = {0, -500 * kMillis, 500 * kMillis};       // from now; 0: none
constexpr std::int64_t kLastAgo[] = {10'000 * kMillis, 200 * kMillis, 0};  // 0: not known

// One of the others.
struct Other {
  enum { absent, holds, waits } does = absent;
  Spec spec{};
  std::uint32_t slots[2] = {};
  std::uint32_t slot_count = 0;
  Waiter waiter;
};

std::vector<Other> all_others() {
  std::vector<Other> all(1);
  for (const Spec& spec : kSpecs) {
    Other holder;
    holder.does = Other::holds;
    holder.spec = spec;
    const std::uint32_t highest = spec.mode == Mode::exclusive ? 1 : spec.max;
    holder.slot_count = spec.take;
    for (std::uint32_t slot = 1; slot + spec.take <= highest + 1; ++slot) {
      for (std::uint32_t i = 0; i < spec.take; ++i) holder.slots[i] = slot + i;
      all.push_back(holder);
    }
    Other waiting;
    waiting.does = Other::waits;
    waiting.spec = spec;
    waiting.waiter.max = spec.max;
    waiting.waiter.take = spec.take;
    waiting.waiter.writer = spec.mode == Mode::exclusive;
    for (const std::int64_t ago : kTurnsAgo) {
      for (const std::int64_t due : kDues) {
        for (const bool parked : {false, true}) {
          waiting.waiter.turn_boot_ns = ago == 0 ? 0 : kNow.boot_ns - ago;
          waiting.waiter.due_boot_ns = due == 0 ? 0 : kNow.boot_ns + due;
          waiting.waiter.parked = parked;
          all.push_back(waiting);
        }
      }
    }
  }
  return all;
}

// A caller and where it stands: without a place, or before, between or behind the others.
struct Asking {
  Request request;
  Ticket ticket;
  bool waits = false;
  std::int64_t turn_boot_ns = 0;
  std::int64_t first_ago_ns = 0;  // of the admissions that its rate counts
};

std::vector<Asking> all_askings() {
  std::vector<Asking> all;
  for (const Spec& spec : kSpecs) {
    for (const int rate : {0, 1, 2, 3}) {  // none, allowed, too soon, too soon and waits for it
      Asking one;
      one.request.locks[0].mode = spec.mode;
      one.request.locks[0].max = spec.max;
      one.request.locks[0].take = spec.take;
      one.request.lock_count = 1;
      if (rate > 0) one.request.rate = {2, Duration::seconds(10)};
      if (rate == 3) one.request.on_too_soon = OnTooSoon::wait;
      one.first_ago_ns = (rate == 1 ? 20 : 4) * kSecond;
      all.push_back(one);
      one.waits = true;
      all.push_back(one);
      one.ticket.drawn = true;
      one.ticket.claims_in = 0;
      for (const std::uint64_t number : {5, 15, 25}) {
        one.ticket.numbers[0] = number;
        for (const std::int64_t ago : {std::int64_t{0}, 400 * kMillis}) {
          one.turn_boot_ns = ago == 0 ? 0 : kNow.boot_ns - ago;
          all.push_back(one);
        }
      }
    }
  }
  return all;
}

class Enumeration {
 public:
  int run(bool all) {
    const std::vector<Other> others = all_others();
    const std::vector<Asking> askings = all_askings();
    for (const Other& one : others) {
      for (const Other& two : others) {
        if (!put(one, two)) continue;
        for (const std::int64_t ago : kLastAgo) {
          if (!all && ago != kLastAgo[0]) continue;
          lock_.state.last.start = ago == 0 ? Stamp{} : stamp_of(after(-ago));
          for (std::uint32_t closed = 0; closed < (all ? 5u : 1u); ++closed) {
            close(closed);
            for (const Asking& asking : askings) check(asking);
          }
        }
      }
    }
    std::printf("%llu states: %llu admitted, %llu owed; %llu faults\n", states_, admitted_, owed_,
                faults_);
    return faults_ == 0 ? 0 : 2;
  }

 private:
  // False: two cannot hold that at once.
  bool put(const Other& one, const Other& two) {
    lock_.holders.clear();
    lock_.places.clear();
    lock_.writer = false;
    if (one.does == Other::holds && two.does == Other::holds) {
      if (one.spec.mode == Mode::exclusive || two.spec.mode == Mode::exclusive) return false;
      if (one.slots[one.slot_count - 1] >= two.slots[0]) return false;  // the same the other way
    }
    if (one.does == Other::absent && two.does != Other::absent) return false;  // the same
    std::uint64_t ticket = 0;
    for (const Other* each : {&one, &two}) {
      ticket += 10;
      if (each->does == Other::holds) {
        for (std::uint32_t i = 0; i < each->slot_count; ++i) lock_.hold({each->slots[i]});
        lock_.writer = lock_.writer || each->spec.mode == Mode::exclusive;
      } else if (each->does == Other::waits) {
        Waiter& waiter = lock_.wait(ticket, queue(each->spec));
        waiter = each->waiter;
        waiter.ticket = ticket;
      }
    }
    return true;
  }

  // 0: nothing; 1, 2: a drained slot, one that is taken over, if it is held; 4: all.
  void close(std::uint32_t what) {
    lock_.drained.clear();
    lock_.taken_over.clear();
    lock_.state.drained = what == 4;
    if (what == 1) lock_.drained.push_back(1);
    if (what == 2) lock_.drained.push_back(2);
    if (what == 3) lock_.taken_over.push_back(1);
  }

  static Queue queue(const Spec& spec) { return spec.mode == Mode::plain ? spec.max : kModeQueue; }

  void check(const Asking& asking) {
    const bool placed = asking.ticket.drawn;
    if (placed) insert(asking);
    lock_.state.recorded = 2;
    lock_.ring = {stamp_of(after(-asking.first_ago_ns)), stamp_of(after(-3 * kSecond))};
    ++states_;
    const Ticket* const queue = asking.waits ? &asking.ticket : nullptr;
    Oracle oracle(lock_, asking.request, queue);
    const char* fault = oracle.check();
    admitted_ += oracle.admitted();
    owed_ += oracle.owed();
    if (fault != nullptr && ++faults_ <= 5) oracle.print(fault);
    if (placed) lock_.places.erase(lock_.places.begin() + inserted_);
  }

  void insert(const Asking& asking) {
    Table::Queued place;
    const LockSpec& spec = asking.request.locks[0];
    place.queue = queue_of(spec);
    place.waiter.ticket = asking.ticket.numbers[0];
    place.waiter.max = spec.max;
    place.waiter.take = spec.take;
    place.waiter.writer = spec.mode == Mode::exclusive;
    place.waiter.turn_boot_ns = asking.turn_boot_ns;
    std::size_t at = 0;
    while (at < lock_.places.size() && lock_.places[at].waiter.ticket < place.waiter.ticket) ++at;
    inserted_ = static_cast<std::ptrdiff_t>(at);
    lock_.places.insert(lock_.places.begin() + inserted_, place);
  }

  TestLock lock_;
  std::ptrdiff_t inserted_ = 0;
  unsigned long long states_ = 0;
  unsigned long long admitted_ = 0;
  unsigned long long owed_ = 0;
  unsigned long long faults_ = 0;
};

}  // namespace
}  // namespace atmost::rule

int main(int argc, char** argv) {
  const bool all = argc > 1 && std::strcmp(argv[1], "all") == 0;
  static atmost::rule::Enumeration enumeration;
  return enumeration.run(all);
}
