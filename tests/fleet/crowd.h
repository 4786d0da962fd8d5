// Many clients of one lock: real processes, each in a group of its own, and a new one for each that
// ends.
#ifndef ATMOST_TESTS_FLEET_CROWD_H
#define ATMOST_TESTS_FLEET_CROWD_H

#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "fleet/job.h"

namespace fleet_kit {

struct Recipe {
  Argv line;
  std::function<void()> before;  // as Job's
};

class Crowd {
 public:
  // `recipe` makes the line of the client of a number.
  Crowd(unsigned count, std::function<Recipe(unsigned)> recipe)
      : count_(count), recipe_(std::move(recipe)) {}

  // Counts who has ended and, if `refill`, starts whoever is missing: one at a time, a few
  // milliseconds apart, so that starting leaves room for running.
  void tend(bool refill);
  unsigned count() const { return count_; }
  std::size_t size() const { return jobs_.size(); }
  unsigned started() const { return started_; }
  const std::map<int, unsigned>& codes() const { return codes_; }
  // The process group of one of them; 0: there is none.
  pid_t any(unsigned random) const;
  bool has(pid_t group) const;
  void end() { jobs_.clear(); }
  // The processes of those that have not ended, with their states and where in the kernel they are.
  std::string rest() const;

 private:
  unsigned count_;
  std::function<Recipe(unsigned)> recipe_;
  std::list<Job> jobs_;
  std::map<int, unsigned> codes_;
  unsigned started_ = 0;
  double next_ = 0;
};

// All processes of a group.
std::vector<pid_t> group_of(pid_t group);

}  // namespace fleet_kit

#endif
