// atmost tune
#include "core/json_line.h"
#include "core/limiter.h"
#include "core/words.h"
#include "output.h"
#include "report.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

// A share or a rate with one decimal, by whole numbers: the front tier has no floating-point
// output.
Output& tenths(Output& to, double value) {
  const auto rounded = static_cast<std::uint64_t>(value * 10 + 0.5);
  to.number(rounded / 10);
  return rounded % 10 == 0 ? to : to.text(".").number(rounded % 10);
}

Output& line(Output& to, std::string_view name) {
  constexpr std::size_t kColumn = 18;
  to.text("  ").text(name);
  for (std::size_t used = name.size(); used < kColumn; ++used) to.text(" ");
  return to;
}

void show_runs(Output& to, const Tuning& tuning) {
  line(to, "remembered")
      .number(tuning.completed)
      .text(" runs that ended by themselves, ")
      .number(tuning.stopped);
  to.text(" stopped by a limit, ").number(tuning.cut_short).text(" by others\n");
  if (tuning.completed == 0) return;
  line(to, "run times").text("half up to ").text(duration_words(tuning.half));
  to.text(", nine in ten up to ").text(duration_words(tuning.nine_tenths));
  to.text(", the longest ").text(duration_words(tuning.longest)).text("; the older count less\n");
  constexpr std::string_view kAlike[kWidths] = {"the same again", "nearly so", "about as long",
                                                "of the same order"};
  line(to, "the next run");
  for (int i = 0; i < kWidths; ++i) {
    tenths(to.text(kAlike[i]).text(" "), 100 * (tuning.related[i] + tuning.related[kWidths + i]));
    to.text("%, ");
  }
  tenths(to.text("unlike the earlier ones "), 100 * tuning.related[kRelations - 1]).text("%\n");
}

// In 1,000.
Output& rate(Output& to, double value) {
  return value > 0 && value < 0.05 ? to.text("less than 0.1") : tenths(to, value);
}

void show_choice(Output& to, const Tuning& tuning, const LearnedBounds& bounds) {
  line(to, "asked");
  tenths(to.text("at most "), bounds.risk_ppm / 1000.0)
      .text(
          " good runs in 1,000 may be stopped, over all locks of the directory (--auto-risk); "
          "learned from ");
  to.number(tuning.directory_runs).text(" of their runs\n");
  line(to, "this lock");
  if (tuning.completed < tuning.runs_needed) {
    to.text("no limit: ").number(tuning.runs_needed);
    to.text(" completed runs of its own are needed, it has ").number(tuning.completed).text("\n");
    return;
  }
  if (tuning.limit.is_forever()) {
    to.text("no limit: its runs differ so much that none of any use would keep that risk\n");
    return;
  }
  to.text("best limit ").text(duration_words(tuning.limit)).text(": ");
  rate(to, 1000 * tuning.chance_at_limit).text(" in 1,000 of its next runs are longer");
  const double risk = bounds.risk_ppm * 1e-6;
  if (tuning.chance_at_limit > 2 * risk)
    to.text(", because its runs differ more than those of others");
  if (tuning.chance_at_limit < risk / 2)
    to.text(", because its runs are more alike than those of others");
  to.text("\n");
  if (tuning.stopped > 0) {
    line(to, "kept").number(tuning.stopped).text(" of ");
    const std::uint64_t all = std::uint64_t{tuning.completed} + tuning.stopped;
    to.number(all).text(" runs were stopped: ");
    rate(to, 1000.0 * tuning.stopped / static_cast<double>(all));
    to.text(" in 1,000, runs that hung among them\n");
  }
  if (tuning.widened > 0) {
    line(to, "after a kill").text("the limit is ").text(duration_words(tuning.run_limit));
    to.text(", until runs have ended by themselves again\n");
  }
}

void show_schedule(Output& to, const Tuning& tuning) {
  line(to, "schedule");
  if (tuning.schedule_known) {
    to.text("a request every ").text(duration_words(tuning.usual)).text(" or so; ");
  } else {
    to.text("not known before four intervals; ");
  }
  to.number(tuning.too_soon)
      .text(" requests were too soon, ")
      .number(tuning.spam)
      .text(" of all kept arriving at or below the interval\n");
}

void show_interval(Output& to, const Tuning& tuning, const LearnedBounds& bounds) {
  const Duration interval = tuning.limits.if_elapsed;
  line(to, "--if-elapsed");
  if (interval.is_zero()) {
    to.text("0\n");
    return;
  }
  to.text(duration_words(interval)).text(": ");
  if (tuning.slowed > 0) {
    to.text("longer than half of the usual interval, because requests keep arriving too soon\n");
  } else if (interval == bounds.high) {
    to.text("as --auto-max says\n");
  } else if (interval == bounds.low) {
    to.text("as --auto-min says\n");
  } else if (interval == tuning.usual) {
    to.text("the usual interval, which is shorter than --auto-min\n");
  } else {
    to.text("half of the usual interval\n");
  }
}

void show_limits(Output& to, const Tuning& tuning, const LearnedBounds& bounds) {
  line(to, "--expire-after").text(duration_words(tuning.limits.expire_after)).text("\n");
  line(to, "--max-runtime");
  if (tuning.limits.max_runtime.is_zero()) {
    to.text("none\n");
  } else {
    to.text(duration_words(tuning.limits.max_runtime)).text("\n");
  }
  show_interval(to, tuning, bounds);
}

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
    error.message.append(": this store remembers no runs: only lock files do");
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
  to.escaped(name).text("\n");
  show_runs(to, tuning);
  show_choice(to, tuning, invocation.request.learned);
  show_schedule(to, tuning);
  show_limits(to, tuning, invocation.request.learned);
  return finish(to);
}

}  // namespace atmost::cli
