#include "storm.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

namespace fleet_kit {
namespace {

constexpr unsigned kClientClocks = 8;
// Less than the minute after which a waiter looks by itself, so that a missed wake-up shows here.
constexpr double kPatience = 45;
constexpr auto kTick = std::chrono::milliseconds(4);
// Of a round.
constexpr double kHarm = 20, kWatched = 12;
// Within its timeout a client has given up an ill store, or its successor waits; and a holder that
// died in the harm is gone two of its ttls and a second after that (docs/fleet.md).
constexpr double kTimeout = 5;
constexpr double kAftermath = kTimeout + 2 * kTtl + 1;
constexpr double kLongestIdle = 5;

unsigned setting(const char* name, unsigned otherwise) {
  const char* text = getenv(name);
  return text != nullptr ? static_cast<unsigned>(strtoul(text, nullptr, 10)) : otherwise;
}

// The words of clients, each sentence once.
std::string sentences(const std::string& path) {
  std::map<std::string, unsigned> counted;
  std::istringstream all(contents(path));
  for (std::string line; std::getline(all, line);) ++counted[line];
  std::string text;
  for (const auto& [line, count] : counted) text += std::to_string(count) + " x " + line + "\n";
  return text;
}

}  // namespace

Storm::Storm(const std::string& name, unsigned servers)
    : name_(name),
      seed_(setting("ATMOST_SEED", std::random_device{}())),
      seconds_(setting("ATMOST_SECONDS", 12)),
      hosts_(kGroups + servers),
      network_(hosts_),
      nemesis_(seed_) {
  // A server may be another user, and has its clock in here.
  std::filesystem::permissions(directory(), static_cast<std::filesystem::perms>(0755));
  std::printf("seed %u\n", seed_);
  fflush(stdout);
  for (unsigned i = 0; i < kClientClocks; ++i) {
    clocks_.push_back(std::make_unique<SharedClock>(directory_.file("clock") + std::to_string(i)));
    clocks_.back()->set(nemesis_.clock_shift());
  }
  clocks_[0]->set(3600);
}

Recipe Storm::client(unsigned number, const std::string& store) {
  const std::string words = directory_.file("words");
  // The first ones live on the host that is cut off first; those behind them in the queue do not.
  const unsigned host = number < kSlots ? 0 : number < kSlots + 60 ? 1 : number % kGroups;
  const std::function<void()> enter = network_.entrance(host);
  SharedClock* const clock = clocks_[number / kGroups % kClientClocks].get();
  Recipe recipe;
  recipe.line = {atmost_program(),
                 "run",
                 "--no-history",
                 "--store",
                 store,
                 "-n",
                 std::to_string(kSlots),
                 "-w",
                 "inf",
                 "--ttl",
                 std::to_string(static_cast<int>(kTtl)) + "s",
                 "--kill-grace",
                 "500ms"};
  // Some take two slots at once.
  if (number % 16 == 5) recipe.line.insert(recipe.line.end(), {"-k", "2"});
  recipe.line.insert(recipe.line.end(),
                     {"lock", "--", beside("slot_user"), directory_.file("witness")});
  recipe.before = [enter, clock, words, host = std::to_string(host)] {
    enter();
    setenv("WITNESS_HOST", host.c_str(), 1);
    clock->enter();
    const int fd = open(words.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(fd, 2);
    setenv("WITNESS_ASKED", std::to_string(seconds_now()).c_str(), 1);
  };
  return recipe;
}

std::string Storm::say(const Argv& line) {
  const std::string path = directory_.file("said");
  const std::function<void()> before = client(0, "").before;
  Job job(line, [&] {
    before();
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(fd, 1);
  });
  job.wait(10);
  return contents(path);
}

Nemesis::Undo Storm::part(unsigned host, const std::vector<unsigned>& others) {
  const unsigned way = nemesis_.pick(4);  // 0: from it, 1: to it, else both
  const auto each = [this, host, others, way](void (Network::*act)(unsigned, unsigned)) {
    for (unsigned other : others) {
      if (other == host) continue;
      if (way != 1) (network_.*act)(host, other);
      if (way != 0) (network_.*act)(other, host);
    }
  };
  each(&Network::cut);
  // A command there runs until its lease must have ended.
  if (host < kGroups) witness_->linger_on_host(host, seconds_now() + kTtl + 4);
  return [each] { each(&Network::mend); };
}

void Storm::only_what_was_accepted() {
  fenced_ = true;
  seconds_ /= 2;
}

// A case that dice seldom bring about: one host of clients is cut off, all its commands stay beyond
// the end of their leases, and the other host's clients wait for their slots. A command that
// outlives its lease by a fraction of a second is seen.
void Storm::cut_off_those_who_linger() {
  const auto users_on = [this](unsigned host) {
    const std::vector<Witness::User> users = witness_->users();
    return std::count_if(users.begin(), users.end(),
                         [host](const auto& user) { return user.host == host; });
  };
  const double patience = seconds_now() + 20;
  const auto go_on_until = [this](double end, const std::function<bool()>& enough) {
    while (seconds_now() < end && !enough()) {
      crowd_->tend(true);
      std::this_thread::sleep_for(kTick);
    }
  };
  go_on_until(patience, [&] {
    witness_->linger_on_host(0, seconds_now() + 1);
    return crowd_->started() > crowd_->count() / 2 && users_on(0) > 1;
  });
  EXPECT_GT(users_on(0), 1);
  const double end = seconds_now() + kTtl + 3;
  witness_->linger_on_host(0, end);
  for (unsigned host = kGroups; host < hosts_; ++host) {
    network_.cut(0, host);
    network_.cut(host, 0);
  }
  go_on_until(end, [] { return false; });
  for (unsigned host = kGroups; host < hosts_; ++host) {
    network_.mend(0, host);
    network_.mend(host, 0);
  }
}

void Storm::run(const std::string& store) {
  witness_ = std::make_unique<Witness>(directory_.file("witness"), kSlots, fenced_);
  crowd_ = std::make_unique<Crowd>(setting("ATMOST_CLIENTS", 200), [this, store](unsigned number) {
    return client(number, store);
  });
  nemesis_.add_clients(*crowd_, *witness_, kTtl + 3);
  nemesis_.add("clients' clock set", 2, 0, 0, [this]() -> Nemesis::Undo {
    clocks_[nemesis_.pick(kClientClocks)]->set(nemesis_.clock_shift());
    return {};
  });
  if (!fenced_) cut_off_those_who_linger();
  const double end = seconds_now() + seconds_;
  while (seconds_now() < end) {
    harm(in_rounds_ ? std::min(seconds_now() + kHarm, end) : end);
    if (in_rounds_) be_calm();
  }
  nemesis_.calm();
  witness_->hurry();
  const double calm = seconds_now();
  while (crowd_->size() > 0 && seconds_now() < calm + kPatience) {
    crowd_->tend(false);
    std::this_thread::sleep_for(kTick);
  }
  EXPECT_EQ(crowd_->size(), 0u) << "clients that still wait long after all was calm:\n"
                                << crowd_->rest();
  std::printf("%.1f s of harm; all had finished %.1f s after it\n", seconds_, seconds_now() - calm);
  crowd_->end();
  witness_->finish();
  judge();
}

void Storm::harm(double until) {
  while (seconds_now() < until) {
    crowd_->tend(true);
    nemesis_.tend();
    std::this_thread::sleep_for(kTick);
  }
}

// Two unused slots are idle: one may be kept for a caller that takes two at once.
void Storm::be_calm() {
  nemesis_.calm();
  const double settled = seconds_now() + kAftermath;
  double used = settled;
  for (double now; (now = seconds_now()) < settled + kWatched;) {
    crowd_->tend(true);
    std::uint32_t slots = 0;
    for (const Witness::User& each : witness_->users()) slots += each.slots;
    if (slots + 1 >= kSlots) used = now;
    longest_idle_ = std::max(longest_idle_, now - std::max(used, settled));
    std::this_thread::sleep_for(kTick);
  }
}

void Storm::judge() {
  const char* folder = getenv("ATMOST_HISTORIES");
  const std::string kept = folder != nullptr ? folder : ".";
  std::filesystem::create_directories(kept);
  const std::string path = kept + "/" + name_ + "-" + std::to_string(seed_) + ".history";
  EXPECT_TRUE(write(witness_->history(),
                    name_ + ", seed " + std::to_string(seed_) + ": " + nemesis_.tally(), path));
  EXPECT_EQ(contradiction(witness_->history()), "") << "check_history " << path;
  if (!fenced_) {
    EXPECT_EQ(witness_->overlaps(), 0u);
    EXPECT_EQ(witness_->stale_awake(), 0u) << "commands with an old token whose hosts never slept";
  }
  if (in_rounds_) {
    EXPECT_LE(longest_idle_, kLongestIdle) << "slots were idle beside waiters";
    std::printf("slots were idle beside waiters for %.1f s at most\n", longest_idle_);
  }
  EXPECT_GT(witness_->begun(), seconds_ / 4) << "it should go on all the time";
  std::printf(
      "%u admissions of %u clients; %u stale tokens refused, %u of them of hosts that had slept; "
      "%u "
      "overlaps\n"
      "%s\nexit codes:",
      witness_->begun(), crowd_->started(), witness_->stale(),
      witness_->stale() - witness_->stale_awake(), witness_->overlaps(), nemesis_.tally().c_str());
  for (const auto& [code, count] : crowd_->codes()) {
    std::printf(" %d (%u)", code, count);
    // It ran; the store could not be reached; the lock was lost; killed by us. 42: the witness
    // refused its token.
    const std::set<int> known = {0, 42, 69, 79, 128 + SIGKILL};
    EXPECT_TRUE(known.contains(code)) << "exit code " << code;
  }
  std::printf("\nhistory: %s\n", path.c_str());
  const auto refused = crowd_->codes().find(42);
  EXPECT_LE(refused == crowd_->codes().end() ? 0 : refused->second, witness_->stale());
  if (testing::Test::HasFailure()) std::printf("%s", sentences(directory_.file("words")).c_str());
}

}  // namespace fleet_kit
