// atmost tune
#include "core/json_line.h"
#include "core/limiter.h"
#include "core/words.h"
#include "output.h"
#include "report.h"
#include "subcommands.h"
#include "tune_words.h"

namespace atmost::cli {
namespace {

void show_json(Output& to, std::string_view name, const Tuning& tuning,
               const LearnedBounds& bounds) {
  char room[kJsonRoom];
  JsonLine line(room);
  Text<40> full;
  const auto seconds = [&](std::string_view field, Duration span) {
    full.clear();
    line.seconds(full.append(field).append("_s"), span);
  };
  const auto millionths = [&](std::string_view field, double value) {
    const auto whole = static_cast<std::uint64_t>(value * 1e6 + 0.5);
    Text<8> digits;
    for (std::uint64_t unit = 100'000; unit > 0; unit /= 10)
      digits.push(static_cast<char>('0' + whole / unit % 10));
    Text<32> number;
    line.raw(field, number.append_unsigned(whole / 1'000'000).push('.').append(digits));
  };
  line.text("lock", name);
  line.number("completed", tuning.completed).number("stopped", tuning.stopped);
  line.number("cut_short", tuning.cut_short);
  line.number("stopped_wrongly", tuning.wrongly).number("hung", tuning.hung);
  seconds("p50", tuning.half);
  seconds("p90", tuning.nine_tenths);
  seconds("longest", tuning.longest);
  constexpr std::string_view kRelated[kWidths] = {"same", "near", "about", "order"};
  for (int i = 0; i < kWidths; ++i)
    millionths(kRelated[i], tuning.related[i] + tuning.related[kWidths + i]);
  millionths("any", tuning.related[kRelations - 1]);
  millionths("risk_per_1000", bounds.risk_ppm / 1000.0);
  line.number("experience", tuning.directory_runs);
  millionths("price", tuning.price);
  seconds("limit", tuning.limit);
  line.number("widened_steps", tuning.widened);
  millionths("chance", tuning.chance);
  millionths("chance_at_limit", tuning.chance_at_limit);
  if (tuning.schedule_known) seconds("usual_interval", tuning.usual);
  line.number("too_soon", tuning.too_soon).number("spam", tuning.spam);
  seconds("expire_after", tuning.limits.expire_after);
  seconds("max_runtime", tuning.limits.max_runtime);
  seconds("min_runtime", tuning.limits.min_runtime);
  seconds("if_elapsed", tuning.limits.if_elapsed);
  to.text(line.finish());
}

}  // namespace

int tune_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok())
    return fail(placed.error(), invocation, 1);
  const Result<Tuning> tuned = tune(*invocation.locks, invocation.request);
  if (!tuned.ok()) return fail(tuned.error(), invocation, 1);
  const Tuning& tuning = tuned.value();
  const std::string_view name = invocation.request.locks[0].name;
  if (tuning.kept == StatsKept::none) {
    Error error = error_of(Code::usage, 0, name);
    error.message.append(": this store remembers no runs: symbolic links cannot");
    return fail(error, invocation, 1);
  }
  if (tuning.kept == StatsKept::others_may_write && !invocation.quiet) {
    Text<400> words(name);
    complain(words.append(
        ": others may write the lock file: what it remembers is not used, and auto is no limit"));
  }
  Output to(1);
  if (invocation.json) {
    show_json(to, name, tuning, invocation.request.learned);
    return finish(to);
  }
  if (invocation.verbose) {
    tell_in_detail(to, name, tuning, invocation.request.learned);
  } else {
    tell(to, name, tuning, invocation.request.learned);
  }
  return finish(to);
}

}  // namespace atmost::cli
