// atmost tune
#include <cerrno>

#include "core/json_line.h"
#include "core/limiter.h"
#include "core/parse.h"
#include "core/words.h"
#include "os/host.h"
#include "output.h"
#include "place.h"
#include "report.h"
#include "subcommands.h"
#include "tune_words.h"
#include "unknown_lock.h"

namespace atmost::cli {
namespace {

constexpr std::size_t kBatch = 64;  // names that are read at once

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
  line.number("unsettled", tuning.unsettled);
  seconds("p50", tuning.half);
  seconds("p90", tuning.nine_tenths);
  seconds("longest", tuning.longest);
  constexpr std::string_view kRelated[kWidths] = {"same", "near", "about", "order"};
  for (int i = 0; i < kWidths; ++i)
    millionths(kRelated[i], tuning.related[i] + tuning.related[kWidths + i]);
  millionths("any", tuning.related[kRelations - 1]);
  millionths("risk_per_1000", bounds.risk_ppm / 1000.0);
  line.number("experience", tuning.directory_runs);
  line.number("experience_wrongly", tuning.directory_wrongly);
  millionths("price", tuning.price);
  seconds("limit", tuning.limit);
  line.truth("widened", tuning.widened);
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

namespace {

int tune_one(const Invocation& invocation, Output& to) {
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
    complain(
        words.append(": others may write the lock file: what it remembers is not used, and auto "
                     "learns no limit"));
  }
  if (invocation.json) {
    show_json(to, name, tuning, invocation.request.learned);
  } else if (invocation.verbose) {
    tell_in_detail(to, name, tuning, invocation.request.learned);
  } else {
    describe_limits(to, name, tuning, invocation.request.learned);
  }
  return 0;
}

// All locks of the directory or the store.
int tune_all(Invocation& invocation, Output& to) {
  const bool files = invocation.locks->traits().has_path;
  const NamingContext around = naming_context(invocation);
  PathText directory;
  directory.assign(invocation.store);
  const Status located = files ? lock_directory(around, directory) : Status{};
  if (!located.ok()) return fail(located.error(), invocation, 1);
  static Text<255> names[kBatch];
  Text<255> after;
  int code = 0;
  ScopedArena texts;
  for (;;) {
    const Result<std::size_t> got = files ? next_names(directory.c_str(), ".lock", after, names)
                                          : invocation.locks->list(after, names);
    if (!got.ok() && got.error().sys != ENOENT) return fail(got.error(), invocation, 1);
    if (!got.ok() || got.value() == 0) return code;
    for (std::size_t i = 0; i < got.value(); ++i) {
      LockSpec& lock = invocation.request.locks[0];
      texts.clear();
      const Text<255> name = readable_name(names[i], files ? around.host : fleet_host(invocation));
      if (!keep_name(name, texts, lock).ok() ||
          !keep_path({.directory = directory, .file = names[i]}, texts, lock.path).ok())
        continue;
      if (const int failed = tune_one(invocation, to)) code = failed;
    }
    after = names[got.value() - 1];
  }
}

}  // namespace

int tune_command(Invocation& invocation) {
  Output to(1);
  int code = 0;
  if (invocation.operand_count == 0) code = tune_all(invocation, to);
  char* const* const operands = invocation.operands;
  const int count = invocation.operand_count;
  for (int i = 0; i < count; ++i) {
    invocation.operands = operands + i;
    invocation.operand_count = 1;
    const Status placed = take_lock(invocation, false);
    if (placed.ok()) warn_if_unknown(invocation, invocation.request.locks[0]);
    const int failed = placed.ok() ? tune_one(invocation, to) : fail(placed.error(), invocation, 1);
    if (failed != 0) code = failed;
  }
  const int unwritten = finish(to);
  return unwritten != 0 ? unwritten : code;
}

}  // namespace atmost::cli
