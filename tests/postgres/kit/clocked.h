// A store in PostgreSQL whose server's clock is set by each call.
#ifndef ATMOST_TESTS_POSTGRES_KIT_CLOCKED_H
#define ATMOST_TESTS_POSTGRES_KIT_CLOCKED_H

#include <memory>
#include <string>
#include <utility>

#include "cluster.h"
#include "store/postgres/store.h"

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

class ClockedSession final : public atmost::Session {
 public:
  ClockedSession(Clock& clock, Owned<atmost::Session> session)
      : clock_(clock), session_(std::move(session)) {}
  Status look(const Attempt& attempt, rule::Looked& to) override {
    clock_.set(attempt.moment({}));
    return session_->look(attempt, to);
  }
  Status apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
               rule::Applied& to) override {
    return session_->apply(plan, now, queue, to);
  }
  Result<Wake> await(Ticket& ticket, std::int64_t deadline) override {
    return session_->await(ticket, deadline);
  }
  Result<Edited> edit(std::uint32_t lock, const Edit& edit) override {
    return session_->edit(lock, edit);
  }
  Result<Owned<HolderStop>> stop(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                 StopFor what_for) override {
    return session_->stop(lock, slot, hold, what_for);
  }
  Upkeep upkeep(About what, std::uint32_t lock) const override {
    return session_->upkeep(what, lock);
  }
  void end(const End& what) override {
    if (what.of == End::Of::session) {
      delete this;
      return;
    }
    if (what.of == End::Of::hold) clock_.set(what.now);
    session_->end(what);
  }

 private:
  Clock& clock_;
  Owned<atmost::Session> session_;
};

class ClockedStore final : public Store {
 public:
  ClockedStore(Session& server, std::unique_ptr<postgres::PostgresStore> store,
               std::int64_t ahead_ns)
      : Store(store->traits()), clock_(server, ahead_ns), store_(std::move(store)) {}
  Result<Owned<atmost::Session>> open_for(const Request& request, OpenTo how) override {
    Result<Owned<atmost::Session>> opened = store_->open_for(request, how);
    if (!opened.ok()) return opened;
    return Owned<atmost::Session>(new ClockedSession(clock_, std::move(opened.value())));
  }
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override {
    clock_.set(now);
    return store_->inspect(lock, now, visitor);
  }

 private:
  Clock clock_;
  std::unique_ptr<postgres::PostgresStore> store_;
};

}  // namespace postgres_kit

#endif
