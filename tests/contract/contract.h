// The suite's vocabulary: callers that ask, short requests, and the results of inspect().
#ifndef ATMOST_TESTS_CONTRACT_CONTRACT_H
#define ATMOST_TESTS_CONTRACT_CONTRACT_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/turn.h"
#include "kept_text.h"
#include "policy/decide.h"
#include "rule/judge.h"
#include "world.h"

namespace atmost::contract {

// Moments `seconds` after a fixed one; the same on both clocks. No test waits.
inline constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000;
inline constexpr std::int64_t kUptimeNs =
    100'000'000'000'000'000;  // after this program started, on any machine
inline Instant at(double seconds) {
  const auto ns = static_cast<std::int64_t>(seconds * 1e9);
  return {kEpochNs + ns, kUptimeNs + ns, false};
}

// The time of the clock for the caller that asks.
inline Instant clock_now;
inline Instant told_by_clock(const Request&) { return clock_now; }

// The report of inspect().
struct Seen final : LockVisitor {
  void header(const Header& from) override { head = from; }
  void holder(const HolderView& from) override { holders.push_back(from); }
  void waiter(const WaiterView& from) override { waiters.push_back(from); }

  std::vector<std::uint32_t> slots() const {
    std::vector<std::uint32_t> all;
    for (const HolderView& each : holders) all.push_back(each.slot);
    return all;
  }
  std::vector<std::string> waiting() const {
    std::vector<std::string> all;
    for (const WaiterView& each : waiters) all.emplace_back(each.id.view());
    return all;
  }

  Header head;
  std::uint32_t count = 0;
  std::vector<HolderView> holders;
  std::vector<WaiterView> waiters;
};

// One caller with one request, as a process of its own would be. The test chooses if it queues:
// ask() or queue(). Its session opens at its first call; from then on the request stays as it is,
// until again().
class Caller {
 public:
  Caller(World& world, std::uint32_t max, std::uint32_t take = 1) : store_(world.caller()) {
    request.locks[0].max = max;
    request.locks[0].take = take;
    world.point(request.locks[0], 0);
    world.introduce(request);
  }

  // One attempt of a caller that will not wait.
  Decision ask(const Instant& now = at(0), DecideFn decide = policy::decide) {
    return attempt(nullptr, now, decide);
  }
  // One attempt of a caller that waits.
  Decision queue(const Instant& now = at(0), DecideFn decide = policy::decide) {
    return attempt(&ticket, now, decide);
  }
  bool admitted(const Instant& now = at(0)) { return ask(now).verdict == Verdict::admit; }
  void leave() { session().withdraw(ticket); }
  void release(Ending ending = Ending::unknown, const Instant& now = at(0)) {
    lease.release(ending, now);
  }
  std::vector<std::uint32_t> slots() const {
    if (!lease.held()) return {};
    const HeldLock& held = lease.lock(0);
    return {held.slots, held.slots + held.count};
  }
  std::uint64_t token() const { return lease.lock(0).token; }
  Store& store() { return store_; }
  Session& session() {
    if (!session_) {
      Result<Owned<Session>> opened = store_.open(request);
      if (!opened.ok()) throw std::runtime_error(opened.error().message.c_str());
      session_ = std::move(opened.value());
    }
    return *session_;
  }
  // Ends the session: the request may be changed, and the next call opens another one. REQUIRES: it
  // holds nothing.
  Request& again() {
    session_.close();
    ticket = {};
    return request;
  }
  // Begins to stop the holder of `slot` that `decision` named first; empty: somebody else is at it.
  Owned<HolderStop> stop(const Decision& decision, std::uint32_t slot) {
    Result<Owned<HolderStop>> begun =
        session().stop(0, slot, decision.holds[0], StopFor::its_place);
    EXPECT_TRUE(begun.ok()) << begun.error().message.c_str();
    return begun.ok() ? std::move(begun.value()) : Owned<HolderStop>();
  }

  Request request;
  Ticket ticket;

 private:
  Decision attempt(Ticket* place, const Instant& now, DecideFn decide) {
    clock_now = now;
    Result<Decision> answer =
        rule::admit(session(), request, {decide, told_by_clock, place}, lease);
    EXPECT_TRUE(answer.ok()) << answer.error().message.c_str();
    if (!answer.ok()) return {};
    EXPECT_EQ(lease.held(), answer.value().verdict == Verdict::admit);
    return answer.value();
  }

  Store& store_;
  Owned<Session> session_;

 public:
  Lease lease;  // the last member: it ends before its session does
};

class StoreContract : public ::testing::TestWithParam<MakeWorld> {
 protected:
  const StoreTraits& can() { return world_->caller().traits(); }

  Caller& one(std::uint32_t max, std::uint32_t take = 1) {
    callers_.push_back(std::make_unique<Caller>(*world_, max, take));
    return *callers_.back();
  }
  // A caller that holds a slot already.
  Caller& holder(std::uint32_t max, std::uint32_t take = 1) {
    Caller& made = one(max, take);
    EXPECT_TRUE(made.admitted());
    return made;
  }
  // A caller that waits already.
  Caller& waiter(std::uint32_t max, std::uint32_t take = 1) {
    Caller& made = one(max, take);
    EXPECT_EQ(made.queue().verdict, Verdict::busy);
    EXPECT_TRUE(made.ticket.drawn);
    return made;
  }
  Seen look() {
    Seen seen;
    LockSpec spec;
    world_->point(spec, 0);
    Result<std::uint32_t> count = world_->caller().inspect(spec, at(0), &seen);
    EXPECT_TRUE(count.ok()) << count.error().message.c_str();
    seen.count = count.ok() ? count.value() : 0;
    return seen;
  }
  void drain(std::uint32_t slot, bool drained) {
    Request request;
    world_->point(request.locks[0], 0);
    EXPECT_TRUE(world_->caller().set_drained(request, slot, drained).ok());
  }
  void forget() {
    Request request;
    world_->point(request.locks[0], 0);
    EXPECT_TRUE(world_->caller().forget(request).ok());
  }

  std::unique_ptr<World> world_ = GetParam()();

 private:
  std::vector<std::unique_ptr<Caller>> callers_;  // their leases end before the world does
};

#define NEEDS(trait) \
  if (!can().trait) GTEST_SKIP() << "this store has no " #trait

// GoogleTest wants every suite instantiated in the program it is in; each store's file does.
using Slots = std::vector<std::uint32_t>;
using Ids = std::vector<std::string>;

}  // namespace atmost::contract

#endif
