#include "scenes.h"

#include <time.h>

#include "caller.h"
#include "fleet/job.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

using Way = Stage::Way;
using What = Stage::What;
using Words = std::vector<std::string>;

std::string held_key(const std::string& prefix) { return prefix + "/lock.lock/a/h/000001"; }

// A run of a command: the verdict of judge(), compared with etcd's state.
std::string run_it(Stage& stage, const std::string& prefix, Words words, const Plan& plan,
                   int refusal, const Care& care = {}) {
  words.insert(words.begin(), {"run", "--no-history", "--kill-grace", "100ms"});
  words.emplace_back("lock");
  Process caller = stage.start(Way::harmed, prefix, words, "c");
  const Told told = follow(stage, caller, prefix, care);
  const std::string wrong = judge(told, caller, plan, refusal);
  if (!wrong.empty()) return wrong;
  const bool held = stage.kept(held_key(prefix)).created != 0;
  // An admission whose answer was lost holds the slot, until its lease ends.
  if (told.code == 75 && !held) return "busy, though nobody holds it: " + caller.said;
  // A caller that got no answer in all its time could not give it back.
  const bool stalled = plan.fault == Fault::stall_before || plan.fault == Fault::stall_after;
  const bool told_to_end = told.ran && plan.reach == Reach::once && !stalled;
  return told_to_end && held ? "the slot is still held after the command's end" : "";
}

std::string free_lock(Stage& stage, const Props&, const Plan& plan) {
  return run_it(stage, stage.fresh_prefix(), {}, plan, 75);
}

// Takes it unseen, in its first transaction.
std::string free_unseen(Stage& stage, const Props&, const Plan& plan) {
  return run_it(stage, stage.fresh_prefix(), {"-w", "3s"}, plan, 75);
}

// Of a lock that was held before: every lease that an admission names is there but its own.
std::string used_prefix(Stage& stage) {
  std::string prefix = stage.fresh_prefix();
  Process before = stage.start(Way::direct, prefix, {"run", "--no-history", "lock"}, "c");
  (void)follow(stage, before, prefix);
  return prefix;
}

std::string free_again(Stage& stage, const Props&, const Plan& plan) {
  return run_it(stage, used_prefix(stage), {}, plan, 75);
}

std::string unseen_again(Stage& stage, const Props&, const Plan& plan) {
  return run_it(stage, used_prefix(stage), {"-w", "3s"}, plan, 75);
}

std::string two_locks(Stage& stage, const Props&, const Plan& plan) {
  return run_it(stage, stage.fresh_prefix(), {"--also", "other"}, plan, 75,
                {.locks = {"lock", "other"}});
}

std::string interval(Stage& stage, const Props&, const Plan& plan) {
  return run_it(stage, stage.fresh_prefix(), {"--if-elapsed", "1h"}, plan, 75);
}

std::string held_lock(Stage& stage, const Props& props, const Plan& plan) {
  return run_it(stage, props.held, {}, plan, 75);
}

std::string impatient(Stage& stage, const Props& props, const Plan& plan) {
  return run_it(stage, props.held, {"-w", "200ms"}, plan, 75);
}

std::string too_soon(Stage& stage, const Props& props, const Plan& plan) {
  return run_it(stage, props.soon, {"--if-elapsed", "1h"}, plan, 76);
}

std::string once_only(Stage& stage, const Props& props, const Plan& plan) {
  return run_it(stage, props.soon, {"--if-elapsed", "inf"}, plan, 76);
}

std::string too_soon_by_now(Stage& stage, const Props& props, const Plan& plan) {
  return run_it(stage, props.soon, {"--if-elapsed", "1h", "--now", std::to_string(time(nullptr))},
                plan, 76);
}

// A holder of its own, by the direct way.
Process hold(Stage& stage, const std::string& prefix) {
  Process holder = stage.start(Way::direct, prefix,
                               {"run", "--no-history", "--kill-grace", "100ms", "lock"}, "h");
  (void)stage.next(holder, seconds_now() + kPatience);
  return holder;
}

// Behind one who leaves when somebody waits.
std::string queue(Stage& stage, const Props&, const Plan& plan) {
  const std::string prefix = stage.fresh_prefix();
  Process holder = hold(stage, prefix);
  const double begun = seconds_now();
  bool there = true;
  const auto leaves = [&] {
    if (there && (stage.any_waiter(prefix) || seconds_now() > begun + 0.6))
      there = !stage.let_go("h");
  };
  const std::string wrong = run_it(stage, prefix, {"-w", "3s"}, plan, 75, {.meanwhile = leaves});
  stage.let_go("h");
  (void)stage.next(holder, seconds_now() + kPatience);
  return wrong;
}

// Over several renewals; when all of them fail, over the lease's end.
std::string renewals(Stage& stage, const Props&, const Plan& plan) {
  const std::string prefix = stage.fresh_prefix();
  const bool ends = plan.reach != Reach::once;
  Process caller =
      stage.start(Way::harmed, prefix,
                  {"run", "--no-history", "--kill-grace", "100ms", "--ttl", "4s", "lock"}, "c");
  const Told told = follow(stage, caller, prefix, {.stay = ends ? 5.0 : 1.3});
  if (ends && told.ran && told.wrong.empty() && told.code == 79 && told.cut) return "";
  return judge(told, caller, plan, 75);
}

// A subcommand that reports about the held lock: `right` accepts its output, or etcd did not answer
// it.
std::string say(Stage& stage, const std::string& prefix, const Words& words, const Plan& plan,
                int code, const std::function<bool(const std::string&)>& right) {
  Process caller = stage.start(Way::harmed, prefix, words);
  const Told told = follow(stage, caller, prefix);
  if (!told.wrong.empty()) return told.wrong;
  if (no_answer(told, plan) && caller.said.find("etcd") != std::string::npos) return "";
  return told.code == code && right(caller.said) ? "" : exit_code(told, caller);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string check(Stage& stage, const Props& props, const Plan& plan) {
  return say(stage, props.held, {"check", "lock"}, plan, 0,
             [](const auto& said) { return said == "1\n"; });
}

std::string check_room(Stage& stage, const Props& props, const Plan& plan) {
  return say(stage, props.held, {"check", "-n", "1", "lock"}, plan, 75,
             [](const auto&) { return true; });
}

std::string list(Stage& stage, const Props& props, const Plan& plan) {
  return say(stage, props.held, {"list", "--json", "lock"}, plan, 0, [&](const auto& said) {
    return contains(said, "\"slot\":1") &&
           contains(said, "\"token\":" + std::to_string(props.token));
  });
}

std::string list_all(Stage& stage, const Props& props, const Plan& plan) {
  return say(stage, props.held, {"list", "--json"}, plan, 0,
             [](const auto& said) { return contains(said, "\"lock\":\"lock\",\"slot\":1"); });
}

std::string kill_dry(Stage& stage, const Props& props, const Plan& plan) {
  return say(stage, props.held, {"kill", "--dry-run", "lock"}, plan, 0,
             [](const auto& said) { return contains(said, "slot 1"); });
}

std::string doctor(Stage& stage, const Props& props, const Plan&) {
  const std::string url = "etcd://" + stage.proxy().host() + props.held;
  Process caller = stage.start(Way::harmed, props.held, {"doctor", url});
  const Told told = follow(stage, caller, props.held);
  if (!told.wrong.empty()) return told.wrong;
  return is_one_of(told.code, {0, 69, 77}) ? "" : exit_code(told, caller);
}

// Stops a holder: only a holder that is no more is reported as stopped.
std::string stop(Stage& stage, const Words& words, const Plan& plan, bool runs) {
  const std::string prefix = stage.fresh_prefix();
  Process holder = hold(stage, prefix);
  const std::uint64_t token = stage.kept(held_key(prefix)).created;
  Process caller = stage.start(Way::harmed, prefix, words, runs ? "c" : "");
  const Told told = follow(stage, caller, prefix);
  std::string wrong = told.wrong;
  const bool there = stage.kept(held_key(prefix)).created == token;
  if (wrong.empty() && !no_answer(told, plan) && !is_one_of(told.code, {75, runs ? 3 : 0}))
    wrong = exit_code(told, caller);
  if (wrong.empty() && runs && told.ran != (told.code == 3)) wrong = exit_code(told, caller);
  if (wrong.empty() && is_one_of(told.code, {0, 3}) && there) wrong = "the holder is still there";
  stage.let_go("h");
  (void)stage.next(holder, seconds_now() + kPatience);
  if (wrong.empty() && !is_one_of(holder.code, {3, 79}))
    wrong = "the holder ended with " + std::to_string(holder.code);
  return wrong;
}

std::string kills(Stage& stage, const Props&, const Plan& plan) {
  return stop(stage, {"kill", "lock"}, plan, false);
}

std::string replaces(Stage& stage, const Props&, const Plan& plan) {
  return stop(stage, {"run", "--no-history", "--kill-grace", "100ms", "--on-busy=replace", "lock"},
              plan, true);
}

// A caller that got the answer "drained" finds it drained.
std::string drains(Stage& stage, const Props&, const Plan& plan) {
  const std::string prefix = stage.fresh_prefix();
  Process caller = stage.start(Way::harmed, prefix, {"drain", "--create", "lock"});
  const Told told = follow(stage, caller, prefix);
  if (!told.wrong.empty()) return told.wrong;
  if (no_answer(told, plan)) return "";
  Process other = stage.start(Way::direct, prefix, {"run", "--no-history", "lock"}, "c");
  const Told refused = follow(stage, other, prefix);
  return told.code == 0 && refused.code == 75
             ? ""
             : exit_code(told, caller) + " but then " + exit_code(refused, other);
}

constexpr Scene kScenes[] = {
    {"free", free_lock},
    {"free unseen", free_unseen},
    {"free again", free_again},
    {"unseen again", unseen_again},
    {"two locks", two_locks},
    {"interval", interval},
    {"held", held_lock},
    {"impatient", impatient},
    {"too soon", too_soon},
    {"once only", once_only},
    {"too soon by --now", too_soon_by_now},
    {"queue", queue},
    {"renewals", renewals},
    {"check", check},
    {"check -n", check_room},
    {"list", list},
    {"list all", list_all},
    {"kill --dry-run", kill_dry},
    {"doctor", doctor},
    {"kill", kills},
    {"replace", replaces},
    {"drain", drains},
};

}  // namespace

std::span<const Scene> all_scenes() { return kScenes; }

Props::Props(Stage& stage) : stage_(stage) {
  held = stage.fresh_prefix();
  holder_ = stage.start(Way::direct, held, {"run", "--no-history", "--ttl", "60s", "lock"}, "p");
  const Stage::Event event = stage.next(holder_, seconds_now() + kPatience);
  token = event.token;
  if (event.what != What::began || !intact()) trouble = "the lock is not held: " + holder_.said;
  soon = stage.fresh_prefix();
  Process before =
      stage.start(Way::direct, soon, {"run", "--no-history", "--if-elapsed", "1h", "lock"}, "c");
  if (trouble.empty()) trouble = judge(follow(stage, before, soon), before, {}, 3);
}

Props::~Props() {
  stage_.let_go("p");
  (void)stage_.next(holder_, seconds_now() + kPatience);
  Stage::kill_all(holder_);
}

bool Props::intact() const { return stage_.truly_held(held, token); }

}  // namespace etcd_kit
