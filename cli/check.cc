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

int show_count(const Invocation& it) {
  const LockSpec& lock = it.request.locks[0];
  Nothing nothing;
  const Result<std::uint32_t> held = it.locks->inspect(lock, now(), &nothing);
  if (!held.ok()) return fail(held.error(), it, 1);
  Output to(1);
  if (it.json) {
    char room[kJsonRoom];
    JsonLine line(room);
    to.text(line.text("lock", lock.name).number("held", held.value()).finish());
  } else {
    to.number(held.value()).text("\n");
  }
  return finish(to);
}

}  // namespace

int check_command(Invocation& it) {
  if (const Status placed = take_lock(it, false); !placed.ok()) return fail(placed.error(), it, 1);
  if (!it.max_given) return show_count(it);
  it.request.looks_only = true;
  const Outcome outcome = probe(*it.locks, it.request);
  report(outcome, it, 1);
  report_status(outcome, it, {});
  return exit_code(outcome, it);
}

}  // namespace atmost::cli
