// Faults of every kind between us and etcd: no caller is admitted wrongly, and every exit code is
// true.
//
// Every scene is played once unharmed, to see what it asks. From that come all trials: each of its
// questions, with each fault and each damage to each member of its answer; once, for the rest of
// the questions of that kind, for the rest of all. First come those that are always played, then as
// many, in an order of no meaning, as $ATMOST_FAULTS faults take (by the proxy's own count), or
// "all"; or, of all, those whose description holds $ATMOST_TRIAL.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <random>

#include "etcd/fault/scenes.h"
#include "etcd/kit/cluster.h"
#include "fleet/job.h"
#include "process/temp_dir.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

constexpr unsigned kStages = 24;
constexpr unsigned kMostShown = 40;
// All trials together plant several times as many, depending on how often a caller asks again
// within its time.
constexpr std::uint64_t kLeastOfAll = 10'000;

// Of Fault::status_404: etcd has carried the request out, and the answer has no words of its own.
constexpr std::uint32_t kLostBehindPlain404 = 1;

struct Trial {
  const Scene* scene;
  Plan plan;
  bool always = false;

  std::string words() const { return std::string(scene->name) + ", " + words_of(plan); }
};

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Campaign : public ::testing::Test {
 protected:
  void plan_all(Stage& stage, const Props& props);
  void plan_answer(const Scene& scene, const Answered& answer, unsigned nth);
  void work(unsigned number);
  void show();

  Cluster cluster_{1};
  witness::TempDir directory_;
  std::mt19937 random_{20240229};
  std::vector<Trial> trials_;
  std::size_t always_ = 0;                                  // so many, at the beginning
  std::uint64_t wanted_ = number_in("ATMOST_FAULTS", 400);  // 0: all trials
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> injected_ = 0;
  std::atomic<unsigned> played_ = 0;
  std::mutex mutex_;  // over what follows
  std::vector<std::string> wrong_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> totals_;
};

void Campaign::plan_answer(const Scene& scene, const Answered& answer, unsigned nth) {
  Plan plan;
  plan.request = answer.request;
  plan.nth = nth;
  // After such an answer a request is made at an older path, but not if that could be twice.
  if (answer.request == "txn") {
    plan.fault = Fault::status_404;
    plan.dice = kLostBehindPlain404;
    trials_.push_back({&scene, plan, true});
  }
  for (unsigned fault = 1; fault < kFaults; ++fault) {
    for (Reach reach : {Reach::once, Reach::onwards, Reach::everything}) {
      plan.fault = static_cast<Fault>(fault);
      plan.reach = reach;
      plan.dice = static_cast<std::uint32_t>(random_());
      trials_.push_back({&scene, plan});
    }
  }
  plan.fault = Fault::field;
  for (plan.place = 0; plan.place < answer.places; ++plan.place) {
    for (unsigned damage = 0; damage < kDamages; ++damage) {
      plan.damage = static_cast<Damage>(damage);
      plan.reach = random_() % 8 == 0 ? Reach::onwards : Reach::once;
      trials_.push_back({&scene, plan});
    }
  }
}

void Campaign::plan_all(Stage& stage, const Props& props) {
  for (const Scene& scene : all_scenes()) {
    stage.proxy().begin({});
    const std::size_t before = trials_.size();
    const std::string wrong = scene.play(stage, props, {});
    ASSERT_EQ(wrong, "") << "unharmed: " << scene.name;
    std::map<std::string, unsigned> asked;
    for (const Answered& answer : stage.proxy().answered())
      plan_answer(scene, answer, asked[answer.request]++);
    std::printf("%-18s %5zu trials:", scene.name, trials_.size() - before);
    for (const auto& [request, count] : asked) std::printf(" %s %u", request.c_str(), count);
    std::printf("\n");
  }
  std::shuffle(trials_.begin(), trials_.end(), random_);
  always_ = static_cast<std::size_t>(
      std::stable_partition(trials_.begin(), trials_.end(),
                            [](const Trial& trial) { return trial.always; }) -
      trials_.begin());
  const char* const only = getenv("ATMOST_TRIAL");
  if (only == nullptr) return;
  std::erase_if(trials_,
                [&](const Trial& trial) { return trial.words().find(only) == std::string::npos; });
  wanted_ = 0;
}

void Campaign::work(unsigned number) {
  Stage stage(cluster_.host(0), directory_.path(), number);
  Props props(stage);
  std::string trouble = props.trouble;
  const auto goes_on = [&](std::size_t i) {
    return i < trials_.size() && (i < always_ || wanted_ == 0 || injected_ < wanted_);
  };
  for (std::size_t i; trouble.empty() && goes_on(i = next_++);) {
    const Trial& trial = trials_[i];
    stage.proxy().begin(trial.plan);
    const double begun = seconds_now();
    std::string wrong = trial.scene->play(stage, props, trial.plan);
    if (!props.intact()) trouble = wrong = "the lock that was held all the time was lost";
    injected_ += stage.proxy().injected();
    ++played_;
    if (wrong.empty()) continue;
    const std::lock_guard locked(mutex_);
    wrong_.push_back(trial.words() + ", after " + std::to_string(seconds_now() - begun) +
                     " s: " + wrong);
  }
  const std::lock_guard locked(mutex_);
  if (!trouble.empty()) wrong_.push_back(trouble);
  for (const auto& [what, count] : stage.proxy().totals()) totals_[what] += count;
}

void Campaign::show() {
  std::map<std::string, std::uint64_t> faults, requests;
  for (const auto& [what, count] : totals_) {
    requests[what.first] += count;
    faults[what.second] += count;
  }
  std::printf("%llu faults in %u of %zu trials\nin answers to:",
              static_cast<unsigned long long>(injected_), played_.load(), trials_.size());
  for (const auto& [request, count] : requests)
    std::printf(" %s %llu", request.c_str(), static_cast<unsigned long long>(count));
  std::printf("\nof the kinds:");
  for (const auto& [fault, count] : faults)
    std::printf(" %s %llu", fault.c_str(), static_cast<unsigned long long>(count));
  std::printf("\n");
  for (std::size_t i = 0; i < wrong_.size() && i < kMostShown; ++i) ADD_FAILURE() << wrong_[i];
  if (wrong_.size() > kMostShown) ADD_FAILURE() << "and " << wrong_.size() - kMostShown << " more";
}

TEST_F(Campaign, NoGrantAndNoWrongExitCode) {
  {
    Stage stage(cluster_.host(0), directory_.path(), 0);
    Props props(stage);
    ASSERT_EQ(props.trouble, "");
    ASSERT_NO_FATAL_FAILURE(plan_all(stage, props));
  }
  std::vector<std::thread> workers;
  for (unsigned i = 1; i <= kStages; ++i) workers.emplace_back([this, i] { work(i); });
  for (std::thread& worker : workers) worker.join();
  show();
  const std::uint64_t least = wanted_ != 0                        ? wanted_
                              : getenv("ATMOST_TRIAL") != nullptr ? 1
                                                                  : kLeastOfAll;
  EXPECT_GE(injected_, least);
}

}  // namespace
}  // namespace etcd_kit
