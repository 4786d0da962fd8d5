#include "policy/limits.h"

#include <cstdint>

#include "policy/learn.h"
#include "policy/schedule.h"
#include "policy/steps.h"

namespace atmost::policy {
namespace {

constexpr LockStats kNoMemory{};
constexpr DirectoryStats kNoDirectoryStats{};

// No run that ended by itself was longer. The histograms also have what killed runs may have
// become.
Duration longest_of(const LockStats& lock_stats) {
  return lock_stats.longest > 0 ? end_of_step(static_cast<int>(lock_stats.longest) - 1)
                                : Duration::forever();
}

// The end of the step within which that share of the recorded runs lies; 0 if there are none.
Duration quantile(const LockStats& lock_stats, double share) {
  double all = 0;
  for (float runs : lock_stats.runs) all += static_cast<double>(runs);
  if (all <= 0) return {};
  double below = 0;
  int step = 0;
  for (; step < kSteps - 1; ++step) {
    below += static_cast<double>(lock_stats.runs[step]);
    if (below >= share * all) break;
  }
  const Duration longest = longest_of(lock_stats);
  return end_of_step(step) < longest ? end_of_step(step) : longest;
}

}  // namespace

Limits limits_of(const Request& request, const View& view) {
  Limits limits;
  limits.if_elapsed = request.if_elapsed;
  limits.expire_after = request.expire_after;
  limits.max_runtime = request.max_runtime;
  limits.min_runtime = request.min_runtime;
  limits.max_idle = request.max_idle;
  limits.expire_idle = request.expire_idle;
  if (!wants_stats(request)) return limits;
  const bool remembers = view.lock_stats != nullptr && is_plausible(*view.lock_stats);
  const bool has_directory_stats =
      view.directory_stats != nullptr && is_plausible(*view.directory_stats);
  const LockStats& lock_stats = remembers ? *view.lock_stats : kNoMemory;
  const Schedule schedule = schedule_of(lock_stats, request.learned);
  if (request.if_elapsed_auto) limits.if_elapsed = schedule.interval;
  const bool by_length = request.max_runtime_auto || request.expire_auto ||
                         request.min_runtime_auto || request.max_idle_auto ||
                         request.expire_idle_auto;
  if (!by_length) return limits;
  limits.learned_from = lock_stats.completed;
  limits.too_few = lock_stats.completed < kOwnRuns ? kOwnRuns : 0;
  limits.longest_run = quantile(lock_stats, 0.999);
  const RunLimit learned = run_limit(
      lock_stats, has_directory_stats ? *view.directory_stats : kNoDirectoryStats, request.learned);
  const Duration run = learned.limit;
  if (request.min_runtime_auto) limits.min_runtime = learned.floor;
  if (request.max_runtime_auto) limits.max_runtime = run.is_forever() ? Duration{} : run;
  if (request.max_idle_auto) limits.max_idle = run;
  if (request.expire_idle_auto) limits.expire_idle = run;
  if (request.expire_auto) {
    limits.expire_after = run;
    if (request.if_elapsed_auto && schedule.known && limits.expire_after < schedule.longer) {
      limits.expire_after = schedule.longer;
    }
    if (limits.expire_after < limits.if_elapsed) limits.expire_after = limits.if_elapsed;
  }
  return limits;
}

Tuning tuning_of(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                 const LearnedBounds& bounds) {
  Tuning tuning;
  const LockStats& own = is_plausible(lock_stats) ? lock_stats : kNoMemory;
  const DirectoryStats& all = is_plausible(directory_stats) ? directory_stats : kNoDirectoryStats;
  tuning.completed = own.completed;
  tuning.stopped = own.stopped;
  tuning.cut_short = own.cut_short;
  tuning.wrongly = own.wrongly;
  tuning.hung = own.hung;
  tuning.too_soon = own.too_soon;
  tuning.spam = own.spam;
  tuning.half = quantile(own, 0.5);
  tuning.nine_tenths = quantile(own, 0.9);
  tuning.longest = quantile(own, 0.999);
  constexpr std::int64_t kFar = 10;
  const double all_own = all_runs(own);
  if (all_own > 0 && longest_of(own).ns / kFar > tuning.half.ns)
    tuning.far = longer_runs(own, step_of({tuning.half.ns * kFar})) / all_own;
  const Weights weights = weigh(own, all);
  for (int i = 0; i < kRelations; ++i) tuning.related[i] = weights.of[i];
  tuning.directory_runs = static_cast<std::uint32_t>(all.tried);
  const RunLimit run = run_limit(own, all, bounds);
  tuning.price = run.price;
  tuning.chance = run.chance;
  tuning.chance_at_limit = run.chance_at_step;
  tuning.run_limit = run.limit;
  tuning.limit = end_of_step(run.step);
  tuning.runs_needed = kOwnRuns;
  tuning.widened = run.widened;
  const std::uint32_t settled = own.wrongly + own.hung;
  tuning.unsettled = own.stopped > settled ? own.stopped - settled : 0;
  tuning.directory_wrongly = static_cast<std::uint32_t>(all.wrongly + 0.5f);
  const Schedule schedule = schedule_of(own, bounds);
  tuning.schedule_known = schedule.known;
  tuning.usual = schedule.usual;
  tuning.slowed = schedule.slowed;
  Request request;
  request.if_elapsed_auto = request.expire_auto = true;
  request.max_runtime_auto = request.min_runtime_auto = true;
  request.learned = bounds;
  View view;
  view.lock_stats = &own;
  view.directory_stats = &all;
  tuning.limits = limits_of(request, view);
  return tuning;
}

bool remember(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& what) {
  if (!is_plausible(lock_stats)) lock_stats = {};
  if (!is_plausible(directory_stats)) directory_stats = {};
  const bool spam_begins =
      what.asked_real_ns > 0 && asked(lock_stats, what.asked_real_ns, what.interval);
  switch (what.kind) {
    case RunSample::Kind::completed:
      return run_completed(lock_stats, directory_stats, what);
    case RunSample::Kind::stopped:
      run_killed(lock_stats, directory_stats, what);
      break;
    case RunSample::Kind::at_limit:
      if (run_limit(lock_stats, directory_stats, {what.low, what.high, what.risk_ppm}).limit >
          what.limit)
        return true;
      run_killed(lock_stats, directory_stats, what);
      break;
    case RunSample::Kind::cut_short:
      run_cut_short(lock_stats, what);
      break;
    case RunSample::Kind::admitted:
      break;
    case RunSample::Kind::too_soon:
      if (lock_stats.too_soon < UINT32_MAX) ++lock_stats.too_soon;
      return spam_begins;
  }
  return false;
}

Duration splay_part(Duration whole, std::string_view host, std::string_view lock) {
  if (whole.is_forever()) return {};
  // FNV-1a, then a finalizer (splitmix64): similar names get very different values
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](char c) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  for (char c : host) add(c);
  add('\0');
  for (char c : lock) add(c);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  const auto part = static_cast<unsigned __int128>(hash) * static_cast<std::uint64_t>(whole.ns);
  return {static_cast<std::int64_t>(part >> 64)};
}

}  // namespace atmost::policy
