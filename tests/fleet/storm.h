// A nemesis test from its beginning to its verdict, for any store: clients run, harm is done, then
// all is calm, and every client has to finish; the witness's history has to be possible, and is
// kept in a file.
#ifndef ATMOST_TESTS_FLEET_STORM_H
#define ATMOST_TESTS_FLEET_STORM_H

#include <memory>
#include <set>
#include <string>

#include "fleet/clocks.h"
#include "fleet/crowd.h"
#include "fleet/nemesis.h"
#include "fleet/network.h"
#include "fleet/witness.h"
#include "process/temp_dir.h"

namespace fleet_kit {

constexpr std::uint32_t kSlots = 4;
constexpr double kTtl = 5;
constexpr unsigned kGroups = 2;  // of clients: each lives on a host of its own

class Storm {
 public:
  // Settings from the environment: ATMOST_SECONDS (of harm), ATMOST_CLIENTS, ATMOST_SEED (chosen,
  // if none is given, and printed), ATMOST_HISTORIES (a folder). Hosts of the network: clients'
  // first, then `servers` of them.
  Storm(const std::string& name, unsigned servers);

  Network& network() { return network_; }
  static unsigned server(unsigned number) { return kGroups + number; }
  const std::string& directory() const { return directory_.path(); }
  Nemesis& nemesis() { return nemesis_; }

  // One client of the lock at `store`: client `number` lives on one of the hosts, with one of the
  // wrong clocks there.
  Recipe client(unsigned number, const std::string& store);
  // Packets between a host and some others, cut as the dice fall: both ways, or one.
  Nemesis::Undo part(unsigned host, const std::vector<unsigned>& others);
  // Where commands may overlap, and only the resource can tell by tokens: judged is what it
  // accepted, in the order in which it did; overlaps and refused tokens are counted, and no more.
  // Half as long.
  void only_what_was_accepted();
  // In rounds of harm and calm. In the calm no free slot is idle for longer than five seconds while
  // others wait, from the moment on at which all is over that the harm has left behind.
  void expect_no_idle_slots() { in_rounds_ = true; }
  // Does it all, and fails the test where something was not as it should be.
  void run(const std::string& store);
  // The words of a program in a client's place: host and wrong clock are those of client 0.
  std::string say(const Argv& line);
  long clock_of_client_0() const { return clocks_[0]->seconds(); }

 private:
  void cut_off_those_who_linger();
  void harm(double until);
  void be_calm();
  void judge();

  std::string name_;
  unsigned seed_;
  double seconds_;
  bool fenced_ = false;
  bool in_rounds_ = false;
  double longest_idle_ = 0;
  unsigned hosts_;
  Network network_;
  witness::TempDir directory_;
  Nemesis nemesis_;
  std::vector<std::unique_ptr<SharedClock>> clocks_;
  std::unique_ptr<Witness> witness_;
  std::unique_ptr<Crowd> crowd_;
};

}  // namespace fleet_kit

#endif
