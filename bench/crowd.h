// Thousands of holders of one lock, kept by a separate process, so that their number does not slow
// the waits of the benchmark.
#ifndef ATMOST_BENCH_CROWD_H
#define ATMOST_BENCH_CROWD_H

#include <string>

#include "bench.h"

namespace bench {

enum class HeldBy { supervisors, strangers };

// The keeper ends with the crowd when this object is destroyed, or when the benchmark dies.
class Crowd {
 public:
  Crowd(const Options& options, HeldBy held_by, const std::string& lock, int most);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Returns when so many slots, the lowest, are held. Never shrinks.
  void grow(int to);

 private:
  pid_t keeper_ = -1;
  int orders_ = -1;
  int answers_ = -1;
};

}  // namespace bench

#endif
