// Shared by the benchmarks of locks that many machines share: callers, one alone, fifty
// at once, two hundred in a queue, of our program and of a peer's.
#ifndef ATMOST_BENCH_FLEET_KIT_H
#define ATMOST_BENCH_FLEET_KIT_H

#include <functional>
#include <string>
#include <vector>

namespace fleet_bench {

using Line = std::vector<std::string>;

struct Arena {
  std::string directory;  // ours alone
  std::string own;        // the path of this program, which is also the command that is run
  std::string atmost;
  std::string beside(const std::string& name) const;  // a program beside this one
  // A command that notes its slot, its begin and its end in `log`; before that it waits for `gate`
  // to be opened, if one is named, and sleeps so long.
  Line holding(const std::string& log, const std::string& gate, int milliseconds) const;
};

// A caller that runs a command under a lock, and waits for the lock without limit.
struct Contender {
  std::string name;
  std::function<Line(const std::string& lock, const Line& options, const Line& command)> line;
};
// `atmost run --store URL`; options are its own.
Contender atmost_at(const Arena& arena, const std::string& url);

double now();  // seconds, monotonic
// Starts a program along $PATH, its standard output turned away.
int start(Line line);
// Waits for its end; true if the exit code was 0.
bool succeeds(int pid);

// The parts; each prints its figures.
// `floors`: programs that do only the work that every lock needs.
using Contenders = std::vector<Contender>;
void one_caller(const Arena& arena, const Contender& ours, const Contender& theirs,
                const Contenders& floors);
// Fifty callers at once, in several rounds, all programs in turn.
void fifty_at_once(const Arena& arena, const Contender& ours, const Contender& theirs,
                   const Contenders& floors);
// 200 waiters for 4 slots. `waiting`: the number of waiters of a lock; `transactions`: the number
// that the store has served.
struct Handoffs {
  std::function<std::size_t(const std::string& lock)> waiting;
  std::function<double()> transactions;
};
// Returns the number of transactions for each release, of all kinds.
double two_hundred_waiters(const Arena& arena, const Contender& ours, const Handoffs& store);

// The whole program: `measure`, in a directory that is gone afterwards, or the command of it.
int run(int argc, char** argv, void (*measure)(const Arena&));

}  // namespace fleet_bench

#endif
