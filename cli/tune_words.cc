#include "tune_words.h"

#include "core/words.h"

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

// The times themselves are in the log; the memory of learned limits counts them in steps.
Output& tell_times(Output& to, const Tuning& tuning) {
  to.text("half took up to ").text(duration_words(tuning.half));
  to.text(", nine in ten up to ").text(duration_words(tuning.nine_tenths));
  to.text(", nearly all up to ").text(duration_words(tuning.longest));
  return to.text(" (in steps of a fifth; atmost stats has the times)");
}

void show_runs(Output& to, const Tuning& tuning) {
  line(to, "remembered")
      .number(tuning.completed)
      .text(" runs that ended by themselves, ")
      .number(tuning.stopped);
  to.text(" stopped by a limit, ").number(tuning.cut_short).text(" by others\n");
  if (tuning.completed == 0) return;
  tell_times(line(to, "run times"), tuning).text("; the older count less\n");
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
    to.text("none of its own: ").number(tuning.runs_needed);
    to.text(" completed runs are needed, it has ").number(tuning.completed).text("\n");
    return;
  }
  if (tuning.limit.is_forever()) {
    to.text(limit_words(tuning, bounds)).text("\n");
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
  line(to, "risk").text(risk_words(tuning, bounds)).text("\n");
  if (tuning.widened) {
    line(to, "after a kill").text("the limit is ").text(duration_words(tuning.run_limit));
    to.text(", so that a long run can show whether the stopped one was good\n");
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
  line(to, "--min-runtime");
  if (tuning.limits.min_runtime.is_zero()) {
    to.text("none\n");
  } else {
    to.text(duration_words(tuning.limits.min_runtime)).text("\n");
  }
  show_interval(to, tuning, bounds);
}

void tell_runs(Output& to, const Tuning& tuning) {
  constexpr std::uint32_t kFew = 5;  // of which quantiles say nothing
  to.number(tuning.completed).text(tuning.completed == 1 ? " run" : " runs");
  if (tuning.completed < kFew) {
    to.text(", none longer than ").text(duration_words(tuning.longest)).text(".\n");
    return;
  }
  tell_times(to.text(": "), tuning).text(".\n");
}

void tell_floor(Output& to, const Tuning& tuning) {
  const Duration floor = tuning.limits.min_runtime;
  if (floor.is_zero()) return;
  to.text("A successful run shorter than ").text(duration_words(floor));
  to.text(" is noted as too fast.\n");
}

void tell_schedule(Output& to, const Tuning& tuning) {
  if (!tuning.schedule_known) return;
  to.text("A request comes about every ").text(duration_words(tuning.usual));
  const Duration interval = tuning.limits.if_elapsed;
  if (!interval.is_zero()) {
    to.text("; --if-elapsed auto refuses one within ").text(duration_words(interval));
    to.text(" of the last admission");
  }
  to.text(".\n");
}

}  // namespace

void describe_limits(Output& to, std::string_view lock, const Tuning& tuning,
                     const LearnedBounds& bounds) {
  to.escaped(lock).text(": ");
  if (tuning.completed + tuning.stopped == 0) {
    to.text("no runs yet. ");
    if (tuning.limits.max_runtime.is_zero()) {
      to.text("auto stops none.\n");
    } else {
      to.text("auto stops one that takes longer than ");
      to.text(duration_words(tuning.limits.max_runtime)).text(", as --auto-max says.\n");
    }
    return;
  }
  tell_runs(to, tuning);
  to.text(limit_words(tuning, bounds)).text("\n");
  if (tuning.completed >= tuning.runs_needed) to.text(risk_words(tuning, bounds)).text("\n");
  tell_floor(to, tuning);
  tell_schedule(to, tuning);
}

void tell_in_detail(Output& to, std::string_view lock, const Tuning& tuning,
                    const LearnedBounds& bounds) {
  to.escaped(lock).text("\n");
  show_runs(to, tuning);
  show_choice(to, tuning, bounds);
  show_schedule(to, tuning);
  show_limits(to, tuning, bounds);
}

}  // namespace atmost::cli
