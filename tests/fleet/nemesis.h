// The source of harm: a list of strikes, one of which falls every few hundred milliseconds, and
// each of which is undone after a while. The same seed gives the same strikes, though not at the
// same victims: those are live processes.
#ifndef ATMOST_TESTS_FLEET_NEMESIS_H
#define ATMOST_TESTS_FLEET_NEMESIS_H

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fleet/crowd.h"
#include "fleet/witness.h"

namespace fleet_kit {

class Nemesis {
 public:
  using Undo = std::function<void()>;
  explicit Nemesis(unsigned seed) : random_(seed) {}

  // One kind of strike: how often compared with others, and after how many seconds it is undone.
  // `strike` gives what undoes it, nothing when nothing has to be. `apart`: strikes of one such
  // name never fall together.
  void add(const std::string& what, unsigned weight, double least, double most,
           std::function<Undo()> strike, const std::string& apart = "");
  // Strikes that hit clients of a crowd: their processes killed and stopped, one alone, or all of
  // them at once, as the death and the sleep of a host would do it. `longest`: of a stop, in
  // seconds.
  void add_clients(Crowd& crowd, Witness& witness, double longest);

  // Strikes and undoes what is due.
  void tend();
  // Undoes everything.
  void calm();
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  // Up to an hour forward or back, now and then a second or so.
  long clock_shift();
  std::string tally() const;

 private:
  struct Kind {
    std::string what;
    unsigned weight;
    double least, most;
    std::function<Undo()> strike;
    std::string apart;
  };
  struct Wound {
    double until;
    Undo undo;
    std::string apart;
  };
  pid_t victim(Crowd& crowd, Witness& witness);
  Undo stop(Crowd& crowd, Witness& witness, bool whole_host, double longest);

  std::mt19937 random_;
  std::vector<Kind> kinds_;
  std::vector<Wound> wounds_;
  std::set<pid_t> stopped_;
  std::map<std::string, unsigned> tally_;
  double next_ = 0;
};

}  // namespace fleet_kit

#endif
