#include "twins.h"

#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "policy/decide.h"
#include "rule/judge.h"
#include "store/memory/store.h"

namespace atmost::twins {
namespace {

constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000;
constexpr std::int64_t kUptimeNs = 100'000'000'000'000'000;
constexpr int kStores = 2;

std::int64_t passed_ns;

struct Caller {
  Request request;
  Owned<Session> session[kStores];
  Lease lease[kStores];
  Ticket ticket[kStores];

  bool holds() const { return lease[0].held(); }
  void leave() {
    for (int side = 0; side < kStores; ++side) {
      if (session[side]) session[side]->withdraw(ticket[side]);
      ticket[side] = {};
    }
  }
  void end() {
    for (int side = 0; side < kStores; ++side) {
      lease[side] = Lease();
      session[side].close();
      ticket[side] = {};
    }
  }
};

// The parts of an answer that a user can see, and the caller's place.
std::string words(const Decision& decision, const Lease& lease, const Ticket& ticket) {
  std::string to = "verdict " + std::to_string(static_cast<int>(decision.verdict)) + " why " +
                   std::to_string(static_cast<int>(decision.why));
  if (!decision.retry_in.is_forever()) to += " retry " + std::to_string(decision.retry_in.ns);
  if (decision.rate_reached) to += " rate";
  if (decision.last_in_future) to += " future";
  if (decision.why == Why::owed || decision.why == Why::queue_full)
    to += " waiters " + std::to_string(decision.waiters);
  if (decision.why == Why::no_slot) {
    to += " held " + std::to_string(decision.held);
    if (decision.some_drained) to += " drained";
    if (decision.writer_inside) to += " writer";
  }
  for (std::uint32_t i = 0; i < decision.victim_count; ++i)
    to += " victim " + std::to_string(decision.victims[i]);
  if (ticket.drawn) to += " due " + std::to_string(ticket.due_boot_ns);
  for (std::uint32_t i = 0; lease.held() && i < lease.lock(0).count; ++i)
    to += " slot " + std::to_string(lease.lock(0).slots[i]);
  return to;
}

std::string words(const Request& request) {
  const LockSpec& lock = request.locks[0];
  std::string to = "n " + std::to_string(lock.max) + " k " + std::to_string(lock.take) + " mode " +
                   std::to_string(static_cast<int>(lock.mode)) + " busy " +
                   std::to_string(static_cast<int>(request.on_busy));
  if (request.rate.count > 0) {
    to += " rate " + std::to_string(request.rate.count) + "/" +
          std::to_string(request.rate.window.ns / 1'000'000'000) + "s";
    if (request.on_too_soon == OnTooSoon::wait) to += " waits for it";
  }
  if (request.queue_max != kAnyQueue) to += " queue-max " + std::to_string(request.queue_max);
  if (!request.if_elapsed.is_zero()) to += " interval";
  if (request.now_given) to += " now " + std::to_string(request.now_real_ns - kEpochNs);
  return to;
}

class Trial {
 public:
  Trial(unsigned seed, const Side& one, const Side& other, bool prints)
      : random_(seed), sides_{one, other}, prints_(prints) {
    for (Caller& each : callers_) change(each);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    for (Caller& each : callers_) each.end();
  }

  // The first difference; empty: there is none.
  std::string run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      if (std::string found = step(); !found.empty()) return found;
    }
    return {};
  }
  std::map<std::string, unsigned> seen;

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_()) % below; }
  bool one_in(std::uint32_t count) { return pick(count) == 0; }

  void print(const Caller* caller, const std::string& what) const {
    if (!prints_) return;
    const double at = static_cast<double>(passed_ns) / 1e9;
    if (caller != nullptr) {
      std::printf("%.3f caller %d %s\n", at, static_cast<int>(caller - callers_), what.c_str());
    } else {
      std::printf("%.3f %s\n", at, what.c_str());
    }
  }

  // Another request.
  void change(Caller& to) {
    to.end();
    Request& request = to.request;
    request = Request();
    request.kind = HolderKind::library;
    LockSpec& lock = request.locks[0];
    static constexpr std::uint32_t kMax[] = {1, 1, 2, 3, 3, 3, 5, 7};
    lock.max = kMax[pick(8)];
    if (one_in(3)) lock.take = 1 + pick(lock.max);
    if (one_in(4)) lock.mode = one_in(2) ? Mode::shared : Mode::exclusive;
    if (lock.mode == Mode::exclusive) lock.take = 1;
    static constexpr OnBusy kOnBusy[] = {OnBusy::fail, OnBusy::fail, OnBusy::supersede};
    request.on_busy = kOnBusy[pick(3)];
    if (sides_[1].joins && one_in(3)) request.on_busy = OnBusy::join;
    request.now_given = sides_[1].joins && one_in(6);
    if (request.now_given)
      request.now_real_ns =
          kEpochNs + passed_ns + 1'000'000'000 * (static_cast<std::int64_t>(pick(20)) - 9);
    if (one_in(5)) request.queue_max = 1 + pick(3);
    const bool times = sides_[1].times;
    if (one_in(4) && times) {
      request.rate = {1 + pick(4), Duration::seconds(1 + pick(20))};
      if (one_in(2)) request.on_too_soon = OnTooSoon::wait;
    }
    if (one_in(8) && times) {
      request.if_elapsed = Duration::seconds(1 + pick(5));
      request.elapsed_from = static_cast<ElapsedFrom>(pick(3));
    }
  }

  std::string step() {
    passed_ns += std::int64_t{1'000'000} * pick(4) * pick(700);
    Caller& caller = callers_[pick(std::size(callers_))];
    const std::uint32_t what = pick(100);
    if (what < 60 && !caller.holds()) return ask(caller, caller.ticket[0].drawn || !one_in(3));
    if (what < 80) {
      if (caller.holds()) release(caller);
    } else if (what < 86) {
      print(&caller, "leaves");
      caller.leave();
    } else if (what < 94) {
      if (!caller.holds()) change(caller);
    } else {
      change_lock();
    }
    return {};
  }

  void change_lock() {
    const std::uint32_t slot = pick(4);
    const bool drains = slot != 0 && one_in(2);
    const bool forgets = one_in(4);
    print(nullptr, forgets  ? "forget"
                   : drains ? "drain " + std::to_string(slot)
                            : "resume " + std::to_string(slot));
    for (const Side& side : sides_) {
      Request request;
      request.locks[0].path = TextView::of(side.path);
      if (forgets) {
        (void)side.store->forget(request);
      } else {
        (void)side.store->set_drained(request, slot, drains);
      }
    }
  }

  std::string ask(Caller& caller, bool waits) {
    std::string answers[kStores];
    for (int side = 0; side < kStores; ++side) {
      caller.request.locks[0].path = TextView::of(sides_[side].path);
      Owned<Session>& session = caller.session[side];
      if (!session) {
        Result<Owned<Session>> opened = sides_[side].open(*sides_[side].store, caller.request);
        if (!opened.ok()) return opened.error().message.c_str();
        session = std::move(opened.value());
      }
      Ticket* const queue = waits ? &caller.ticket[side] : nullptr;
      const Result<Decision> answer = rule::admit(
          *session, caller.request, {policy::decide, moment, queue}, caller.lease[side]);
      if (!answer.ok()) return answer.error().message.c_str();
      answers[side] = words(answer.value(), caller.lease[side], caller.ticket[side]);
    }
    ++seen[answers[0].substr(0, answers[0].find(' ', answers[0].find("why ") + 4))];
    print(&caller, words(caller.request) + (waits ? " waits: " : ": ") + answers[0]);
    if (answers[0] == answers[1]) return {};
    return "memory: " + answers[0] + "\n  other:  " + answers[1];
  }

  void release(Caller& caller) {
    static constexpr Ending kEndings[] = {Ending::success, Ending::failure, Ending::unknown,
                                          Ending::not_started};
    const Ending ending = kEndings[pick(4)];
    print(&caller, "releases, ending " + std::to_string(static_cast<int>(ending)));
    for (Lease& each : caller.lease) each.release(ending, moment(caller.request));
    for (Ticket& each : caller.ticket) each = {};
  }

  std::mt19937 random_;
  const Side sides_[kStores];
  const bool prints_;
  Caller callers_[7];
};

}  // namespace

Instant moment(const Request& request) {
  const std::int64_t real_ns = request.now_given ? request.now_real_ns : kEpochNs + passed_ns;
  return {real_ns, kUptimeNs + passed_ns, request.now_given};
}

Result<Owned<Session>> open_any(Store& store, const Request& request) {
  return store.open(request);
}

int compare(Other& other, int argc, char** argv) {
  const auto number = [&](int at, unsigned otherwise) {
    return argc > at ? static_cast<unsigned>(std::stoul(argv[at])) : otherwise;
  };
  const unsigned seeds = number(1, 200);
  const unsigned steps = number(2, 300);
  const unsigned first = number(3, 1);
  std::map<std::string, unsigned> seen;
  unsigned different = 0;
  for (unsigned seed = first; seed < first + seeds; ++seed) {
    passed_ns = 0;
    const auto memory = std::make_unique<memory::MemoryStore>();
    const Side side = other.begin(seed);
    auto trial =
        std::make_unique<Trial>(seed, Side{memory.get(), "memory", open_any}, side, seeds == 1);
    const std::string found = trial->run(steps);
    for (const auto& [what, count] : trial->seen) seen[what] += count;
    trial.reset();
    other.end(side);
    if (!found.empty() && ++different <= 8) std::printf("seed %u\n  %s\n", seed, found.c_str());
  }
  unsigned all = 0;
  for (const auto& [what, count] : seen) {
    std::printf("%8u %s\n", count, what.c_str());
    all += count;
  }
  std::printf("%u decisions, %u of %u seeds differ\n", all, different, seeds);
  return different == 0 ? 0 : 2;
}

}  // namespace atmost::twins
