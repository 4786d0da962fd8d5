#include "world/campaign.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "world/child.h"

namespace world {
namespace {

constexpr std::uint64_t kBatch = 32;         // seeds of a child: a second of work
constexpr std::chrono::seconds kLimit{120};  // of a child; a world takes milliseconds
constexpr std::uint64_t kEnough = 10;        // violations

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::uint64_t fresh_seed() {
  std::uint32_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) throw std::runtime_error("getrandom failed");
  return seed;
}

class Campaign {
 public:
  explicit Campaign(const Options& options)
      : options_(options),
        begin_(Clock::now()),
        next_(options.seed ? *options.seed : fresh_seed()) {}

  Sum run() {
    const auto jobs = static_cast<std::size_t>(options_.jobs != 0 ? options_.jobs
                                                                  : sysconf(_SC_NPROCESSORS_ONLN));
    say("seeds from " + std::to_string(next_) + " on, for " + std::to_string(options_.seconds) +
        " s, " + std::to_string(jobs) + " side by side");
    while (left() > 0 || !batches_.empty()) {
      for (; left() > 0 && batches_.size() < jobs; next_ += kBatch)
        batches_.push_back(begin_batch(next_, kBatch));
      wait();
      if (sum_.found >= (options_.until_found ? 1 : kEnough)) break;
    }
    sum_.seconds = seconds();
    say(last_line(sum_));
    return sum_;
  }

 private:
  struct Batch {
    std::uint64_t seed;
    std::unique_ptr<Child> child;
  };

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  std::int64_t left() const { return options_.seconds - static_cast<std::int64_t>(seconds()); }

  Batch begin_batch(std::uint64_t seed, std::uint64_t count) const {
    auto arguments = for_children(options_);
    for (const auto& [option, value] :
         {std::pair{"--seed", seed}, std::pair{"--count", count},
          std::pair{"--seconds", static_cast<std::uint64_t>(std::max<std::int64_t>(left(), 1))}}) {
      arguments.emplace_back(option);
      arguments.push_back(std::to_string(value));
    }
    return {seed, std::make_unique<Child>(arguments, "", kLimit)};
  }

  // Until a batch has ended.
  void wait() {
    std::vector<Child*> children;
    for (const Batch& batch : batches_) children.push_back(batch.child.get());
    Child::wait(children);
    const auto ended =
        std::ranges::partition(batches_, [](const Batch& b) { return !b.child->ended(); });
    for (const Batch& batch : ended) take(*batch.child, batch.seed);
    batches_.erase(ended.begin(), ended.end());
  }

  void take(const Child& child, std::uint64_t seed) {
    if (child.broken().empty()) return add(child);
    // Which of the seeds was it?
    for (std::uint64_t i = 0; i < kBatch; ++i) {
      const Batch single = begin_batch(seed + i, 1);
      single.child->wait();
      if (single.child->broken().empty()) {
        add(*single.child);
        continue;
      }
      ++sum_.worlds;
      ++sum_.found;
      found(seed + i, single.child->broken(), "the world itself ended");
      return;
    }
  }

  void add(const Child& child) {
    if (child.code() > 1) throw std::runtime_error("a child could not run its worlds");
    std::istringstream lines(child.output());
    std::vector<Found> news;
    for (std::string line; std::getline(lines, line);) {
      if (const auto sum = read_last(line)) sum_.add(*sum);
      if (auto one = read_found(line)) news.push_back(*std::move(one));
    }
    for (const Found& one : news) found(one.seed, one.breaks, one.text);
  }

  void found(std::uint64_t seed, std::string_view breaks, std::string_view text) {
    sum_.seconds = seconds();
    say(found_line(seed, sum_, breaks, text));
  }

  const Options& options_;
  Clock::time_point begin_;
  std::uint64_t next_;
  std::vector<Batch> batches_;
  Sum sum_;
};

}  // namespace

Sum run_campaign(const Options& options) { return Campaign(options).run(); }

}  // namespace world
