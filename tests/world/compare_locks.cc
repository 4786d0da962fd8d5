// The model of locks (locks.h) against the real kernel: several real processes open, share and
// close files, take and give back locks of all three kinds, block, are interrupted, stopped and
// killed; each answer has to be one that the model admits. comparison.h says how it is run.
#include <optional>
#include <string>
#include <vector>

#include "comparison.h"
#include "lock_comparison.h"

namespace world {
namespace {

constexpr std::uint64_t kStepsOfOneSeed = 5000;

class Locks final : public Comparison {
 public:
  std::optional<Found> run(std::uint64_t seed, std::uint64_t most,
                           const std::vector<std::uint64_t>& listed, Counts& counts) override {
    LockComparison comparison(counts);
    Found found;
    std::vector<std::uint64_t>& steps = found.steps;
    try {
      for (std::uint64_t i = 0; listed.empty() ? steps.size() < most : i < listed.size(); ++i) {
        steps.push_back(listed.empty() ? i : listed[i]);
        if (!comparison.make(draw_lock_step(seed, steps.back()))) steps.pop_back();
      }
      return std::nullopt;
    } catch (const Difference& difference) {
      found.what = difference.what();
    } catch (const Stuck& stuck) {
      found.what = stuck.what();
    }
    found.what += "\nstate of the model before the last step:\n" + comparison.text();
    return found;
  }

  std::string text(std::uint64_t seed, std::uint64_t step) const override {
    return to_text(draw_lock_step(seed, step));
  }
};

}  // namespace
}  // namespace world

int main(int argc, char** argv) {
  world::Actors::go_on(argc, argv, world::obey_lock_order);
  world::Locks locks;
  return world::compare(argc, argv, world::kStepsOfOneSeed, locks);
}
