// The calls of one process in the simulated kernel against the real one: files, descriptors, locks
// and inotify. The answers of a call have to be the same in both. comparison.h explains the run.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "world/call_script.h"
#include "world/comparison.h"
#include "world/kernel.h"

namespace world {
namespace {

constexpr std::uint64_t kStepsOfOneSeed = 10000;
constexpr std::size_t kRoom = 16 << 20;

struct Answers {
  std::vector<std::uint64_t> steps;
  std::vector<std::string> texts;
};

void make_steps(CallScript& script, std::uint64_t seed, std::uint64_t most,
                const std::vector<std::uint64_t>& listed, Answers& to) {
  for (std::uint64_t i = 0; listed.empty() ? to.steps.size() < most : i < listed.size(); ++i) {
    const std::uint64_t step = listed.empty() ? i : listed[i];
    std::string text = script.make(seed, step);
    if (text.empty()) continue;
    to.steps.push_back(step);
    to.texts.push_back(std::move(text));
  }
}

class Simulated final : public Program {
 public:
  Simulated(std::uint64_t seed, std::uint64_t most, const std::vector<std::uint64_t>& listed)
      : seed_(seed), most_(most), listed_(listed) {}
  void run(Process&) override {
    CallScript script(atmost::os::calls, "/w");
    make_steps(script, seed_, most_, listed_, answers);
  }
  bool runs_again(const Process&) override { return false; }

  Answers answers;
  std::string failure;

 private:
  std::uint64_t seed_;
  std::uint64_t most_;
  const std::vector<std::uint64_t>& listed_;
};

// A process of the real kernel that makes the steps; each text ends in shared memory.
class Real {
 public:
  Real() {
    at_ = static_cast<char*>(
        ::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (at_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { ::munmap(at_, kRoom); }

  std::vector<std::string> make(std::uint64_t seed, const std::vector<std::uint64_t>& steps) {
    std::filesystem::remove_all("w");
    at_[0] = 0;
    const pid_t pid = ::fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid == 0) {
      ::close_range(3, ~0U, 0);
      ::umask(0);
      ::mkdir("w", 0755);
      write(seed, steps);
      ::_exit(0);
    }
    ::waitpid(pid, nullptr, 0);
    std::vector<std::string> texts;
    for (const char* text = at_; *text != 0; text += texts.back().size() + 1) texts.push_back(text);
    return texts;
  }

 private:
  void write(std::uint64_t seed, const std::vector<std::uint64_t>& steps) {
    CallScript script(atmost::os::kRealCalls, "w");
    char* to = at_;
    for (const std::uint64_t step : steps) {
      const std::string text = script.make(seed, step);
      if (to + text.size() + 2 > at_ + kRoom) break;
      std::memcpy(to, text.c_str(), text.size() + 1);
      to += text.size() + 1;
      *to = 0;
    }
  }

  char* at_ = nullptr;
};

class CallsOfOne final : public Comparison {
 public:
  CallsOfOne() {
    install_table();
    fibers_ = make_fibers();
  }

  std::optional<Found> run(std::uint64_t seed, std::uint64_t most,
                           const std::vector<std::uint64_t>& listed, Counts& counts) override {
    Script script;
    script.seed = seed;
    Observer observer;
    Simulated simulated(seed, most, listed);
    Kernel world(script, *fibers_, observer, false);
    world.make_file("/w", 0755, true);
    world.add_process(simulated);
    const std::string failure = world.run();
    const Answers& model = simulated.answers;
    const std::vector<std::string> real = real_.make(seed, model.steps);
    counts.steps += model.steps.size();
    Found found;
    for (std::size_t i = 0; i < model.texts.size(); ++i) {
      found.steps.push_back(model.steps[i]);
      const std::string text = i < real.size() ? real[i] : "nothing";
      if (text == model.texts[i]) {
        count(text, counts);
        continue;
      }
      for (std::size_t before = i - std::min<std::size_t>(i, 20); before < i; ++before) {
        found.what += "both: " + model.texts[before] + "\n";
      }
      found.what += "the model: " + model.texts[i] + "\nthe kernel: " + text;
      return found;
    }
    if (failure.empty() && world.stopped().empty()) return std::nullopt;
    found.what = "the model: " + failure + world.stopped();
    return found;
  }

  std::string text(std::uint64_t seed, std::uint64_t step) const override {
    return "step " + std::to_string(step) + " of seed " + std::to_string(seed);
  }

 private:
  static void count(const std::string& text, Counts& counts) {
    ++counts.of[text.substr(0, text.find_first_of(" :"))];
    if (text.find('[') != std::string::npos) ++counts.of["events were read"];
  }

  std::unique_ptr<Backend> fibers_;
  Real real_;
};

}  // namespace
}  // namespace world

int main(int argc, char** argv) {
  world::CallsOfOne calls;
  return world::compare(argc, argv, world::kStepsOfOneSeed, calls);
}
