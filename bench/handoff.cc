// From the end of a holder's command to the begin of a waiter's.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "bench.h"
#include "witness_log.h"

namespace bench {
namespace {

// Holders inside and waiters behind them, on one lock. A holder stays until it gets a byte through
// a pipe.
class Line {
 public:
  Line(const Options& options, witness::World& world, std::string name, Argv before, unsigned limit,
       unsigned waiters, int every)
      : name_(std::move(name)),
        before_(std::move(before)),
        limit_(limit),
        waiters_(waiters),
        every_(every),
        world_(world),
        log_(options.directory + "/" + std::to_string(next_number()) + ".log") {
    if (pipe2(gate_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~Line() {
    close(gate_[0]);
    close(gate_[1]);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  const std::string& name() const { return name_; }
  unsigned limit() const { return limit_; }
  unsigned waiters() const { return waiters_; }
  bool has_turn(int step) const { return step % every_ == 0; }
  const Samples& samples() const { return samples_; }

  // Brings the line to its full length and lets it settle.
  void fill() {
    pid_t last = -1;
    while (started_ < admitted_ + waiters_ || started_ < limit_ + waiters_) {
      Argv argv = before_;
      argv.insert(argv.end(), {witness::helper("witness"), log_.path(), "gate"});
      witness::Streams streams;
      streams.in = gate_[0];
      last = world_.start(argv, streams);
      ++started_;
      if (started_ <= limit_) await(started_);
    }
    if (last < 0) return;
    witness::eventually(witness::Bound(1000), [&] { return witness::state_of(last) == 'S'; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  void step(bool count) {
    const unsigned next = admitted_ + 1;
    if (write(gate_[1], "g", 1) != 1) throw std::runtime_error("no gate");
    await(next);
    world_.reap();
    if (count) samples_.add(begin_ns_ - end_ns_);
  }

 private:
  static int next_number() {
    static int number = 0;
    return ++number;
  }
  void await(unsigned admissions) {
    const bool came = witness::eventually(witness::Bound(20'000), [&] {
      log_.read_new([&](const witness::Record& record) {
        if (record.kind == '-') end_ns_ = record.ns;
        if (record.kind != '+') return;
        begin_ns_ = record.ns;
        ++admitted_;
      });
      return admitted_ >= admissions;
    });
    if (!came) throw std::runtime_error(name_ + ": a waiter was never admitted");
  }

  std::string name_;
  Argv before_;
  unsigned limit_;
  unsigned waiters_;
  int every_;  // takes part in every Nth step: a program that looks once a second takes a thousand
               // times longer
  witness::World& world_;
  witness::Log log_;
  int gate_[2] = {-1, -1};
  unsigned started_ = 0;
  unsigned admitted_ = 0;
  std::int64_t end_ns_ = 0;
  std::int64_t begin_ns_ = 0;
  Samples samples_;
};

using Lines = std::vector<std::unique_ptr<Line>>;

Lines make_lines(const Options& options, witness::World& world, unsigned waiters) {
  Lines lines;
  const auto add = [&](const std::string& name, const Argv& before, unsigned limit, int every = 1) {
    lines.push_back(std::make_unique<Line>(options, world, name, before, limit, waiters, every));
  };
  const std::string suffix = std::to_string(waiters);
  const std::string atmost = options.program("atmost");
  add("atmost run, N = 1", {atmost, "run", "-w", "inf", options.lock("one-" + suffix), "--"}, 1);
  add("atmost run, N = 8",
      {atmost, "run", "-w", "inf", "-n", "8", options.lock("eight-" + suffix), "--"}, 8);
  add("atmost run --exec, N = 1",
      {atmost, "run", "--exec", "-w", "inf", options.lock("exec-" + suffix), "--"}, 1);
  add("floor: one lock call, exec",
      {witness::helper("bench_floor"), "lock", options.lock("floor-" + suffix)}, 1);
  if (const std::string flock = find_program("flock"); !flock.empty()) {
    add("flock", {flock, options.lock("flock-" + suffix)}, 1);
  }
  if (const std::string setlock = find_program("s6-setlock"); !setlock.empty()) {
    add("s6-setlock", {setlock, options.lock("s6-" + suffix)}, 1);
  }
  if (waiters > 1) return lines;
  const std::string function = std::string(BENCH_SOURCE) + "/../shell/lock_unlock.sh";
  setenv("ATMOST", atmost.c_str(), 1);
  if (const std::string bash = find_program("bash"); !bash.empty()) {
    add("lock_unlock in bash",
        {bash, "-c", ". \"$0\"; lock_unlock action=lock name=\"$1\" && shift && exec \"$@\"",
         function, options.lock("function")},
        1);
  }
  constexpr int kSeldom = 40;
  if (const std::string lckdo = find_program("lckdo"); !lckdo.empty()) {
    add("lckdo -w", {lckdo, "-w", options.lock("lckdo-handoff")}, 1);
  }
  if (!find_program("lockfile").empty()) {
    add("lockfile -1, rm -f",
        {"/bin/sh", "-c", "lockfile -1 \"$0\" && \"$@\"; rm -f \"$0\"", options.lock("lockfile")},
        1, kSeldom);
  }
  if (const std::string dotlockfile = find_program("dotlockfile"); !dotlockfile.empty()) {
    add("dotlockfile -l -i 1",
        {dotlockfile, "-l", "-r", "-1", "-i", "1", options.lock("dotlockfile")}, 1, kSeldom);
  }
  return lines;
}

void measure_lines(const Options& options, Book& book, Table& table, unsigned waiters, int steps) {
  tell("  " + std::to_string(waiters) + (waiters == 1 ? " waiter\n" : " waiters\n"));
  witness::World world;
  Lines lines = make_lines(options, world, waiters);
  for (int step = -3; step < steps; ++step) {
    for (auto& line : lines) {
      if (!line->has_turn(step)) continue;
      line->fill();
      line->step(step >= 0);
    }
  }
  const Samples* flock = nullptr;
  for (auto& line : lines) {
    if (line->name() == "flock") flock = &line->samples();
  }
  for (auto& line : lines) {
    const Samples& own = line->samples();
    table.rows.push_back(
        {line->name() + ", " + grouped(waiters) + (waiters == 1 ? " waiter" : " waiters"),
         micros(own.median()), micros(own.quantile(0.9)), millis(own.quantile(0.999)),
         flock == nullptr || flock == &own
             ? ""
             : ratio(static_cast<double>(own.median()) / static_cast<double>(flock->median()))});
    if (waiters == 1 &&
        (line->name() == "lock_unlock in bash" || line->name() == "atmost run, N = 1")) {
      book.goals.push_back({"handoff, " + line->name() + ", 1 waiter: median", "< 1 ms",
                            millis(own.median()) + " ms", own.median() < 1'000'000});
    }
    if (line->name().rfind("atmost run, N", 0) != 0) continue;
    const std::string what = "handoff, " + line->name().substr(12) + ", " + grouped(waiters) +
                             (waiters == 1 ? " waiter" : " waiters");
    if (waiters == 1 && flock != nullptr) {
      const double times = static_cast<double>(own.median()) / static_cast<double>(flock->median());
      book.goals.push_back(
          {what + ": median, in times flock(1)'s", "≤ 1.3", ratio(times), times <= 1.3});
    }
    if (waiters > 1) {
      const std::int64_t tail = own.quantile(0.999);
      book.goals.push_back({what + ": p99.9", "< 50 ms", millis(tail) + " ms", tail < 50'000'000});
    }
  }
}

}  // namespace

void measure_handoff(const Options& options, Book& book) {
  Table table{"Handoff: a holder's command ends, a waiter's command starts",
              "from the last instruction of the one to the first of the other, by the monotonic "
              "clock; the programs "
              "take turns, one handoff each",
              {"", "median µs", "p90 µs", "p99.9 ms", "of flock's"},
              {}};
  measure_lines(options, book, table, 1, options.quick ? 60 : 400);
  measure_lines(options, book, table, 200, options.quick ? 100 : 1200);
  book.tables.push_back(table);
}

}  // namespace bench
