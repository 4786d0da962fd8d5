// A store in PostgreSQL whose server's clock is set by each call.
#ifndef ATMOST_TESTS_POSTGRES_KIT_CLOCKED_H
#define ATMOST_TESTS_POSTGRES_KIT_CLOCKED_H

#include <memory>
#include <string>
#include <utility>

#include "cluster.h"
#include "core/store.h"

namespace postgres_kit {

using namespace atmost;

// For postgres::Settings::clock, once the table is made.
inline constexpr char kClockSql[] = "(SELECT at FROM public.clock)";
inline void make_clock(Session& server) {
  server.ask("CREATE TABLE IF NOT EXISTS public.clock (at timestamptz)");
  server.ask("DELETE FROM public.clock");
  server.ask("INSERT INTO public.clock VALUES ('2023-11-14 22:13:20+00')");
}

// A test sets the time, and this store asks the server: so the server's clock (a table here) is set
// to the time of each call before it is made. A wall clock that is stepped moves no server's clock:
// the boot clock counts.
class Clock {
 public:
  // The server's clock is so far ahead of the boot clock of the calls.
  Clock(Session& server, std::int64_t ahead_ns) : server_(server), ahead_ns_(ahead_ns) {}
  void set(const Instant& now) {
    if (now.given) return;
    const std::int64_t micros = (now.boot_ns + ahead_ns_) / 1000;
    server_.ask("UPDATE public.clock SET at = 'epoch'::timestamptz + " + std::to_string(micros) +
                " * interval '1 microsecond'");
  }

 private:
  Session& server_;
  const std::int64_t ahead_ns_;
};

class ClockedHold final : public Hold {
 public:
  ClockedHold(Clock& clock, Lease lease)
      : Hold(&lease.lock(0)), clock_(clock), lease_(std::move(lease)) {}
  Upkeep upkeep() const override { return lease_.upkeep(); }
  Contest contested(std::uint32_t lock) const override { return lease_.contested(lock); }
  void release(Ending ending, const Instant& now, const Lesson& lesson) override {
    clock_.set(now);
    lease_.release(ending, now, lesson);
  }

 private:
  Clock& clock_;
  Lease lease_;
};

class ClockedSession final : public atmost::Session {
 public:
  ClockedSession(Clock& clock, Owned<atmost::Session> session)
      : clock_(clock), session_(std::move(session)) {}
  Result<Decision> attempt(DecideFn decide, MomentFn moment, Ticket* queue, Lease& lease) override {
    clock_.set(moment({}));
    Lease granted;
    Result<Decision> answer = session_->attempt(decide, moment, queue, granted);
    if (granted.held()) {
      hold_ = std::make_unique<ClockedHold>(clock_, std::move(granted));
      lease = Lease(hold_.get());
    }
    return answer;
  }
  Result<Wake> await(Ticket& ticket, std::int64_t deadline) override {
    return session_->await(ticket, deadline);
  }
  void withdraw(Ticket& ticket) override { session_->withdraw(ticket); }
  Result<std::uint32_t> count_refusal(std::uint32_t lock) override {
    return session_->count_refusal(lock);
  }
  Result<std::uint32_t> count_end(std::uint32_t lock, bool failed) override {
    return session_->count_end(lock, failed);
  }
  bool learn(std::uint32_t lock, LearnFn how, const RunSample& sample) override {
    return session_->learn(lock, how, sample);
  }
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override {
    return session_->stop(lock, slot, hold, what_for);
  }
  Text<80> lease_name() const override { return session_->lease_name(); }
  void close() override { delete this; }

 private:
  Clock& clock_;
  Owned<atmost::Session> session_;
  std::unique_ptr<ClockedHold> hold_;
};

class ClockedStore final : public Store {
 public:
  ClockedStore(Session& server, Owned<Store> store, std::int64_t ahead_ns)
      : clock_(server, ahead_ns), store_(std::move(store)) {}
  const StoreTraits& traits() const override { return store_->traits(); }
  Result<Owned<atmost::Session>> open(const Request& request) override {
    Result<Owned<atmost::Session>> opened = store_->open(request);
    if (!opened.ok()) return opened;
    return Owned<atmost::Session>(new ClockedSession(clock_, std::move(opened.value())));
  }
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override {
    clock_.set(now);
    return store_->inspect(lock, now, visitor);
  }
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override {
    return store_->set_drained(request, slot, drained);
  }
  Result<StatsKept> recall(const Request& request, LockStats& lock,
                           DirectoryStats& directory) override {
    return store_->recall(request, lock, directory);
  }
  Status forget(const Request& request) override { return store_->forget(request); }

 private:
  Clock clock_;
  Owned<Store> store_;
};

}  // namespace postgres_kit

#endif
