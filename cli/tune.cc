// atmost tune
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

void show_experience(Output& to, const Tuning& it) {
  line(to, "remembered")
      .number(it.completed)
      .text(" runs that ended by themselves, ")
      .number(it.stopped);
  to.text(" stopped by a limit, ").number(it.cut_short).text(" by somebody else\n");
  if (it.completed > 0) {
    line(to, "run times")
        .text("half up to ")
        .text(duration_words(it.half))
        .text(", nine in ten up to ");
    to.text(duration_words(it.nine_tenths)).text(", the longest ").text(duration_words(it.longest));
    to.text("; the older count less\n");
  }
  constexpr std::string_view kRelated[kRelations] = {"the same again", "nearly so", "about as long",
                                                     "of the same order",
                                                     "like any run of the directory"};
  line(to, "the next run");
  for (int i = 0; i < kRelations; ++i) {
    to.text(i > 0 ? ", " : "").text(kRelated[i]).text(" ");
    tenths(to, 100 * it.related[i]).text("%");
  }
  to.text("\n");
}

void show_choice(Output& to, const Tuning& it, const LearnedBounds& bounds) {
  line(to, "a wrong kill");
  tenths(to.text("is worth "), it.price).text(" doublings of the limit, so that about ");
  tenths(to, bounds.risk_ppm / 1000.0)
      .text(" good runs in 1,000 are stopped (--auto-risk); learned from ");
  to.number(it.experience).text(" runs of the directory\n");
  line(to, "best limit");
  if (it.completed < it.runs_needed) {
    to.text("none: ")
        .number(it.runs_needed)
        .text(" completed runs of this lock are needed, it has ");
    to.number(it.completed).text("\n");
    return;
  }
  to.text(duration_words(it.limit));
  if (it.widened > 0) {
    tenths(to.text(", longer by "), it.widened / static_cast<double>(kStepsPerOctave))
        .text(" doublings after kills");
  }
  tenths(to.text(": "), 1000 * it.chance).text(" in 1,000 next runs are longer than that\n");
}

void show_schedule(Output& to, const Tuning& it) {
  line(to, "schedule");
  if (it.schedule_known) {
    to.text("an admission every ").text(duration_words(it.usual)).text(" or so; ");
  } else {
    to.text("not known before four intervals; ");
  }
  to.number(it.too_soon)
      .text(" requests were too soon, ")
      .number(it.spam)
      .text(" of all kept arriving at or below the interval\n");
}

void show_limits(Output& to, const Tuning& it) {
  line(to, "--expire-after").text(duration_words(it.limits.expire_after)).text("\n");
  line(to, "--max-runtime");
  if (it.limits.max_runtime.is_zero()) {
    to.text("none\n");
  } else {
    to.text(duration_words(it.limits.max_runtime)).text("\n");
  }
  line(to, "--if-elapsed");
  if (it.limits.if_elapsed.is_zero()) {
    to.text("0\n");
  } else {
    to.text(duration_words(it.limits.if_elapsed));
    to.text(it.slowed > 0 ? ": from half of the usual interval on, longer for spam\n"
                          : ": half of the usual interval, within the bounds\n");
  }
}

void show_json(Output& to, std::string_view name, const Tuning& it, const LearnedBounds& bounds) {
  const auto seconds = [&](std::string_view field, Duration span) {
    to.text(",\"").text(field).text("_s\":").text(duration_seconds(span));
  };
  const auto millionths = [&](std::string_view field, double value) {
    const auto whole = static_cast<std::uint64_t>(value * 1e6 + 0.5);
    Text<8> digits;
    for (std::uint64_t unit = 100'000; unit > 0; unit /= 10)
      digits.push(static_cast<char>('0' + whole / unit % 10));
    to.text(",\"").text(field).text("\":").number(whole / 1'000'000).text(".").text(digits);
  };
  to.text("{\"lock\":").json(name);
  to.text(",\"completed\":").number(it.completed).text(",\"stopped\":").number(it.stopped);
  to.text(",\"cut_short\":").number(it.cut_short);
  seconds("p50", it.half);
  seconds("p90", it.nine_tenths);
  seconds("longest", it.longest);
  constexpr std::string_view kRelated[kRelations] = {"same", "near", "about", "order", "any"};
  for (int i = 0; i < kRelations; ++i) millionths(kRelated[i], it.related[i]);
  millionths("risk_per_1000", bounds.risk_ppm / 1000.0);
  to.text(",\"experience\":").number(it.experience);
  millionths("price", it.price);
  seconds("limit", it.limit);
  to.text(",\"widened_steps\":").number(it.widened);
  millionths("chance", it.chance);
  if (it.schedule_known) seconds("usual_interval", it.usual);
  to.text(",\"too_soon\":").number(it.too_soon).text(",\"spam\":").number(it.spam);
  seconds("expire_after", it.limits.expire_after);
  seconds("max_runtime", it.limits.max_runtime);
  seconds("if_elapsed", it.limits.if_elapsed);
  to.text("}\n");
}

}  // namespace

int tune_command(Invocation& it) {
  if (const Status placed = take_lock(it, false); !placed.ok()) return fail(placed.error(), it, 1);
  const Result<Tuning> tuned = tune(*it.locks, it.request);
  if (!tuned.ok()) return fail(tuned.error(), it, 1);
  const Tuning& tuning = tuned.value();
  const std::string_view name = it.request.locks[0].name;
  if (!tuning.kept) {
    Error error = error_of(Code::usage, 0, name);
    error.message.append(": this store remembers no runs: only lock files do");
    return fail(error, it, 1);
  }
  Output to(1);
  if (it.json) {
    show_json(to, name, tuning, it.request.learned);
    return finish(to);
  }
  to.escaped(name).text("\n");
  show_experience(to, tuning);
  show_choice(to, tuning, it.request.learned);
  show_schedule(to, tuning);
  show_limits(to, tuning);
  return finish(to);
}

}  // namespace atmost::cli
