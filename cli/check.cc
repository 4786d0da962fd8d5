// atmost check
#include "core/json_line.h"
#include "core/limiter.h"
#include "report.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

class Nothing final : public LockVisitor {
 public:
  void header(const Header&) override {}
  void holder(const HolderView&) override {}
  void waiter(const WaiterView&) override {}
};

int show_count(const Invocation& invocation) {
  const LockSpec& lock = invocation.request.locks[0];
  Nothing nothing;
  const Result<std::uint32_t> held = invocation.locks->inspect(lock, now(), &nothing);
  if (!held.ok()) return fail(held.error(), invocation, 1);
  Output to(1);
  if (invocation.json) {
    char room[kJsonRoom];
    JsonLine line(room);
    to.text(line.text("lock", lock.name).number("held", held.value()).finish());
  } else {
    to.number(held.value()).text("\n");
  }
  return finish(to);
}

// Whether one more may start is the question; otherwise how many there are.
bool asks(const Invocation& invocation) {
  const Request& request = invocation.request;
  return invocation.max_given || invocation.shared || invocation.exclusive ||
         !request.if_elapsed.is_zero() || request.if_elapsed_auto || request.rate.count > 0;
}

}  // namespace

int check_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok())
    return fail(placed.error(), invocation, 1);
  if (!asks(invocation)) return show_count(invocation);
  invocation.request.looks_only = true;
  const Outcome outcome = probe(*invocation.locks, invocation.request);
  report(outcome, invocation, 1);
  report_status(outcome, invocation, {});
  return exit_code(outcome, invocation);
}

}  // namespace atmost::cli
