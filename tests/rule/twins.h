// The same random callers ask two stores, memory and another; every answer has to be the same.
#ifndef ATMOST_TESTS_RULE_TWINS_H
#define ATMOST_TESTS_RULE_TWINS_H

#include <string>

#include "core/store.h"

namespace atmost::twins {

// The clocks of both stores.
Instant moment(const Request& request);

struct Side {
  Store* store = nullptr;
  std::string path;  // of the lock
  Result<Owned<Session>> (*open)(Store& store, const Request& request) = nullptr;
  bool times = true;   // it measures rates and intervals as memory does
  bool joins = false;  // with callers of --on-busy=join, and of --now
};
Result<Owned<Session>> open_any(Store& store, const Request& request);

class Other {
 public:
  Other() = default;
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  virtual ~Other() = default;
  // A lock that no caller has used yet.
  virtual Side begin(unsigned seed) = 0;
  virtual void end(const Side& side) { (void)side; }
};

// PROGRAM [SEEDS [STEPS [FIRST]]]: with one seed, prints the whole history. Returns the exit code;
// 2: an answer differs.
int compare(Other& other, int argc, char** argv);

}  // namespace atmost::twins

#endif
