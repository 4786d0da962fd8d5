// Compares the simulated kernel with the real one: the words in a mapped file that a process leaves
// at its death (get_robust_list(2)). They are read when the next process has a lock of the dead
// one, as the kernel changes the words before it frees the locks. comparison.h explains how this is
// run.
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/calls.h"
#include "world/actors.h"
#include "world/comparison.h"
#include "world/draw.h"
#include "world/kernel.h"

namespace world {
namespace {

constexpr std::uint64_t kStepsOfOneSeed = 500;
constexpr int kWords = 8;
constexpr std::size_t kStride = sizeof(struct robust_list);  // of words, as of list entries
constexpr std::size_t kPage = 4096;
constexpr int kDead = 0;
constexpr int kNext = 1;

enum Tid : std::uint64_t { kFree, kOwn, kOther };

// A word: its thread, its bits FUTEX_WAITERS and FUTEX_OWNER_DIED, and true if the list has it.
struct LeftWord {
  Tid tid = kFree;
  bool waiters = false;
  bool died = false;
  bool listed = false;
};
struct Plan {
  std::array<LeftWord, kWords> words;
  bool description = false;  // owns the lock, else the process
  bool killed = false;
};

Plan draw_plan(std::uint64_t seed, std::uint64_t step) {
  Draws draws(mix(seed) + step, Purpose::scenario, kNobody);
  Plan to;
  for (LeftWord& word : to.words) {
    word.tid = static_cast<Tid>(draws.below(3));
    word.waiters = draws.happens(400'000);
    word.died = draws.happens(100'000);
    word.listed = draws.happens(700'000);
  }
  to.description = draws.happens(500'000);
  to.killed = draws.happens(500'000);
  return to;
}

std::uint32_t value_of(const LeftWord& word, std::uint32_t own) {
  const std::uint32_t tid = word.tid == kOwn ? own : word.tid == kOther ? own + 1 : 0;
  return tid | (word.waiters ? FUTEX_WAITERS : 0) | (word.died ? FUTEX_OWNER_DIED : 0);
}

// The list of the process that dies, where the process has it until its death.
struct List {
  struct robust_list_head head;
  std::array<struct robust_list, kWords> entries;
};

// Its steps before it dies. 0, or −1 with errno.
int prepare(const atmost::os::Calls& calls, const Plan& plan, const char* path, std::uint32_t own,
            List& list) {
  const int fd = calls.openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
  if (fd < 0) return -1;
  const char zeros[kPage] = {};
  if (calls.pwrite(fd, zeros, kPage, 0) != static_cast<ssize_t>(kPage)) return -1;
  void* const at = calls.mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return -1;
  list.head.futex_offset = reinterpret_cast<long>(at) - reinterpret_cast<long>(&list.entries);
  list.head.list_op_pending = nullptr;
  struct robust_list* last = &list.head.list;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t value = value_of(plan.words[i], own);
    if (calls.pwrite(fd, &value, sizeof value, static_cast<off_t>(i * kStride)) < 0) return -1;
    if (!plan.words[i].listed) continue;
    last->next = &list.entries[i];
    last = last->next;
  }
  last->next = &list.head.list;
  if (calls.set_robust_list(&list.head, sizeof list.head) != 0) return -1;
  struct flock range = {};
  range.l_type = F_WRLCK;
  return calls.lock(fd, plan.description ? F_OFD_SETLK : F_SETLK, &range);
}

// The words that the next owner of the lock sees, four bits for each; −1 with errno.
std::int64_t look(const atmost::os::Calls& calls, const char* path, std::uint32_t dead) {
  const int fd = calls.openat(AT_FDCWD, path, O_RDWR, 0);
  struct flock range = {};
  range.l_type = F_WRLCK;
  if (fd < 0 || calls.lock(fd, F_OFD_SETLKW, &range) != 0) return -1;
  std::int64_t to = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint32_t value = 0;
    if (calls.pread(fd, &value, sizeof value, static_cast<off_t>(i * kStride)) < 0) return -1;
    const std::uint32_t tid = value & FUTEX_TID_MASK;
    const std::uint32_t bits = (tid == dead ? 1U : 0) | (tid != 0 && tid != dead ? 2U : 0) |
                               ((value & FUTEX_WAITERS) != 0 ? 4U : 0) |
                               ((value & FUTEX_OWNER_DIED) != 0 ? 8U : 0);
    to = to << 4 | bits;
  }
  calls.close(fd);
  return to;
}

class Simulated final : public Program {
 public:
  explicit Simulated(const Plan& plan) : plan_(plan) {}
  void run(Process& self) override {
    const atmost::os::Calls& calls = atmost::os::calls;
    if (self.index == kDead) {
      dead_ = static_cast<std::uint32_t>(self.pid);
      if (prepare(calls, plan_, "/w/a", dead_, list_) != 0) kernel->stop("not prepared");
      ready_ = true;
      calls.poll(nullptr, 0, 5);
      return;
    }
    while (!ready_) calls.poll(nullptr, 0, 1);
    seen = look(calls, "/w/a", dead_);
  }
  bool runs_again(const Process&) override { return false; }

  std::int64_t seen = -1;

 private:
  const Plan& plan_;
  List list_;
  std::uint32_t dead_ = 0;
  bool ready_ = false;
};

enum Act : int { kPrepare, kLook, kExit };

Answer obey(const Order& order, Actors::Memory&) {
  static List list;
  Answer to;
  if (order.what == kPrepare) {
    const Plan plan = draw_plan(static_cast<std::uint64_t>(order.value),
                                static_cast<std::uint64_t>(order.number));
    to.result =
        prepare(atmost::os::kRealCalls, plan, "a", static_cast<std::uint32_t>(::gettid()), list);
  } else if (order.what == kLook) {
    to.result = look(atmost::os::kRealCalls, "a", static_cast<std::uint32_t>(order.value));
  } else {
    ::_exit(0);
  }
  to.error = errno;
  return to;
}

class Deaths final : public Comparison {
 public:
  Deaths() {
    install_table();
    fibers_ = make_fibers();
  }

  std::optional<Found> run(std::uint64_t seed, std::uint64_t most,
                           const std::vector<std::uint64_t>& listed, Counts& counts) override {
    Actors actors(obey);
    actors.start(kNext);
    Found found;
    for (std::uint64_t i = 0; listed.empty() ? i < most : i < listed.size(); ++i) {
      const std::uint64_t step = listed.empty() ? i : listed[i];
      found.steps.push_back(step);
      const Plan plan = draw_plan(seed, step);
      const std::int64_t model = simulate(seed + step, plan);
      const std::int64_t real = die(actors, seed, step, plan);
      ++counts.steps;
      ++counts.of[plan.killed ? "killed" : "exits"];
      if (model == real && real >= 0) continue;
      found.what = "the model: " + in_words(model) + "\nthe kernel: " + in_words(real);
      return found;
    }
    return std::nullopt;
  }

  std::string text(std::uint64_t seed, std::uint64_t step) const override {
    const Plan plan = draw_plan(seed, step);
    std::string to = plan.killed ? "killed:" : "exits:";
    for (const LeftWord& word : plan.words) {
      to += word.tid == kOwn ? " own" : word.tid == kOther ? " other's" : " nobody's";
      if (word.waiters) to += "+waiters";
      if (word.died) to += "+died";
      if (!word.listed) to += " (not in the list)";
      to += ",";
    }
    return to;
  }

 private:
  std::int64_t simulate(std::uint64_t seed, const Plan& plan) {
    Script script;
    script.seed = seed;
    script.rates.switches = 300'000;
    Observer observer;
    Simulated simulated(plan);
    Kernel world(script, *fibers_, observer, false);
    world.make_file("/w", 0755, true);
    world.add_process(simulated);
    world.add_process(simulated);
    const std::string failure = world.run();
    return failure.empty() && world.stopped().empty() ? simulated.seen : -1;
  }

  static std::int64_t die(Actors& actors, std::uint64_t seed, std::uint64_t step,
                          const Plan& plan) {
    actors.start(kDead);
    Order order;
    order.value = static_cast<std::int64_t>(seed);
    order.number = static_cast<int>(step);
    if (actors.ask(kDead, order).result != 0) return -2;
    Order next;
    next.what = kLook;
    next.value = actors.pid(kDead);
    actors.tell(kNext, next);
    while (!actors.sleeps_in(kNext, SYS_fcntl)) ::sched_yield();
    if (!plan.killed) {
      order.what = kExit;
      actors.tell(kDead, order);
      const Answer answer = actors.wait(kNext);
      actors.end(kDead);
      return answer.result;
    }
    actors.end(kDead);
    return actors.wait(kNext).result;
  }

  static std::string in_words(std::int64_t seen) {
    if (seen < 0) return "it fails";
    std::string to;
    for (int shift = 4 * (kWords - 1); shift >= 0; shift -= 4) {
      const std::int64_t bits = seen >> shift & 15;
      to += (bits & 1) != 0 ? " own" : (bits & 2) != 0 ? " other's" : " nobody's";
      if ((bits & 4) != 0) to += "+waiters";
      if ((bits & 8) != 0) to += "+died";
      to += ",";
    }
    return to;
  }

  std::unique_ptr<Backend> fibers_;
};

}  // namespace
}  // namespace world

int main(int argc, char** argv) {
  world::Actors::go_on(argc, argv, world::obey);
  world::Deaths deaths;
  return world::compare(argc, argv, world::kStepsOfOneSeed, deaths);
}
