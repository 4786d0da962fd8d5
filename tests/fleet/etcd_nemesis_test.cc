// Three members of etcd and 200 clients of one lock, each on a host of its own or one of two:
// members, supervisors and commands are killed and stopped, hosts cut off from each other, and wall
// clocks set, leaders moved, the history compacted and members defragmented, all in one run. No
// slot is used twice, no old token is accepted, no free slot stays idle in the calm between, and in
// the end everybody finishes.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <ctime>
#include <optional>

#include "etcd/kit/cluster.h"
#include "fleet/storm.h"
#include "store/etcd/wire.h"

namespace fleet_kit {
namespace {

using etcd_kit::Cluster;

constexpr unsigned kMembers = 3;

constexpr long kBeyondAllShifts = 7200;
constexpr int kPatienceMs = 500;
constexpr double kUntilCalm = 1e9;

class Members {
 public:
  explicit Members(Storm& storm) : storm_(storm), cluster_(kMembers, {}, {}, ground()) {}

  Cluster& cluster() { return cluster_; }

  // That the clocks of members and clients really are as wrong as they were set, seen from outside.
  void expect_wrong_clocks() {
    for (unsigned i = 0; i < kMembers; ++i) {
      for (const long shift : {3600L, -3600L, 0L}) {
        ASSERT_TRUE(set_clock(i, shift)) << "MEMBERS' CLOCKS ARE NOT SHIFTED HERE: " << why_;
        const time_t seen = cluster_.wall_clock(i);
        EXPECT_NEAR(static_cast<double>(seen - time(nullptr)), static_cast<double>(shift), 2)
            << "member " << i;
      }
      set_clock(i, i == 0 ? 3600 : i == 1 ? -3600 : 0);
    }
    const Recipe one = storm_.client(0, cluster_.url("/look"));
    Job holder({one.line[0], "run", "--no-history", "--store", cluster_.url("/look"), "lock",
                "sleep", "30"},
               one.before);
    const std::string name = "\"start\":";
    std::string listed;
    const double end = seconds_now() + 10;
    while (listed.find(name) == std::string::npos && seconds_now() < end) {
      listed =
          storm_.say({one.line[0], "list", "--json", "--store", cluster_.url("/look"), "lock"});
    }
    const std::size_t at = listed.find(name);
    ASSERT_NE(at, std::string::npos) << listed;
    const double start = strtod(listed.c_str() + at + name.size(), nullptr);
    EXPECT_NEAR(start - static_cast<double>(time(nullptr)),
                static_cast<double>(storm_.clock_of_client_0()), 12);
  }

  void add_strikes() {
    Nemesis& nemesis = storm_.nemesis();
    // One at a time of those that leave a majority; what clients suffer, and the cut of a member
    // from all, comes on top.
    const std::string minority = "minority";
    const auto kill_one = [this]() -> Nemesis::Undo {
      const unsigned one = any();
      cluster_.kill(one);
      return [this, one] { cluster_.start(one); };
    };
    nemesis.add("member killed", 2, 0.5, 4, kill_one, minority);
    const auto stop_one = [this]() -> Nemesis::Undo {
      const unsigned one = any();
      cluster_.signal(one, SIGSTOP);
      return [this, one] { cluster_.signal(one, SIGCONT); };
    };
    nemesis.add("member stopped", 2, 0.3, 6, stop_one, minority);
    const auto cut = [this] { return storm_.part(host(any()), members()); };
    nemesis.add("member cut off from members", 2, 1, 6, cut, minority);
    const auto cut_leader = [this] { return storm_.part(host(leader()), members()); };
    nemesis.add("leader cut off from members", 2, 1, 6, cut_leader, minority);
    const auto cut_from_all = [this] { return storm_.part(host(any()), everybody()); };
    nemesis.add("member cut off from all", 1, 1, 4, cut_from_all, "one");
    const auto cut_clients = [this] {
      return storm_.part(storm_.nemesis().pick(kGroups), members());
    };
    nemesis.add("clients cut off from members", 2, 2, kTtl + 5, cut_clients, "clients");
    const auto cut_from_one = [this] {
      return storm_.part(storm_.nemesis().pick(kGroups), {host(any())});
    };
    nemesis.add("clients cut off from a member", 1, 1, 5, cut_from_one);
    const auto cut_one_way = [this]() -> Nemesis::Undo {
      const std::vector<unsigned> all = everybody();
      const unsigned from = all[storm_.nemesis().pick(static_cast<unsigned>(all.size()))];
      const unsigned to = host(any());
      if (from == to) return {};
      storm_.network().cut(from, to);
      return [this, from, to] { storm_.network().mend(from, to); };
    };
    nemesis.add("link cut one way", 3, 1, 6, cut_one_way);
    add_maintenance(nemesis);
    // For good; when all is calm it goes beyond every time that it has shown. Etcd 3.4 keeps leases
    // in the order of its wall clock: a leader whose clock was set back by an hour ends leases of
    // the dead an hour late (never early), and nobody could be expected to finish within a minute.
    const auto set_one = [this]() -> Nemesis::Undo {
      const unsigned one = any();
      set_clock(one, storm_.nemesis().clock_shift());
      return [this, one] { set_clock(one, beyond_ += kBeyondAllShifts); };
    };
    nemesis.add("member's clock set", 4, kUntilCalm, kUntilCalm, set_one);
  }

  // The work of an administrator.
  void add_maintenance(Nemesis& nemesis) {
    const auto move = [this]() -> Nemesis::Undo {
      const unsigned to = any();
      if (const auto reply = status(to))
        ask(leader(), "maintenance/transfer-leadership",
            "{\"targetID\":\"" + std::to_string(reply->member) + "\"}");
      return {};
    };
    nemesis.add("leader moved", 2, 0, 0, move);
    const auto compact = [this]() -> Nemesis::Undo {
      const unsigned one = any();
      if (const auto reply = status(one))
        ask(one, "kv/compaction",
            "{\"revision\":\"" + std::to_string(reply->header.revision) + "\",\"physical\":true}");
      return {};
    };
    nemesis.add("history compacted", 1, 0, 0, compact);
    const auto defragment = [this]() -> Nemesis::Undo {
      ask(any(), "maintenance/defragment", "{}");
      return {};
    };
    nemesis.add("member defragmented", 1, 0, 0, defragment);
  }

 private:
  // Of a member that answers in time.
  std::optional<atmost::etcd::StatusReply> status(unsigned member) const {
    return atmost::etcd::parse_status(ask(member, "maintenance/status", "{}"));
  }
  std::string ask(unsigned member, const std::string& what, const std::string& body) const {
    return cluster_.fetch(member, "/v3/" + what, body.c_str(), kPatienceMs);
  }
  etcd_kit::Ground ground() {
    return {
        [this](unsigned member) { return storm_.network().address(host(member)); },
        [this](unsigned member) {
          storm_.network().entrance(host(member))();
          GoClock::wait_to_be_taken();
        },
        [this](unsigned member, pid_t pid) { clocks_[member].take(pid, shifts_[member], why_); }};
  }
  static unsigned host(unsigned member) { return Storm::server(member); }
  unsigned any() { return storm_.nemesis().pick(kMembers); }
  // The leader by the report of another member; without one, any member.
  unsigned leader() {
    const int known = cluster_.leader();
    return known >= 0 ? static_cast<unsigned>(known) : any();
  }
  static std::vector<unsigned> members() { return {host(0), host(1), host(2)}; }
  static std::vector<unsigned> everybody() {
    std::vector<unsigned> all = members();
    for (unsigned group = 0; group < kGroups; ++group) all.push_back(group);
    return all;
  }
  bool set_clock(unsigned member, long seconds) {
    shifts_[member] = seconds;
    return clocks_[member].set(seconds);
  }

  Storm& storm_;
  std::array<GoClock, kMembers> clocks_;
  std::array<long, kMembers> shifts_ = {};
  long beyond_ = 0;  // what a clock has shown
  std::string why_;
  Cluster cluster_;
};

TEST(Nemesis, OfLocksInEtcd) {
  Storm storm("etcd", kMembers);
  Members members(storm);
  members.expect_wrong_clocks();
  members.add_strikes();
  storm.expect_no_idle_slots();
  storm.run(members.cluster().url("/n"));
}

}  // namespace
}  // namespace fleet_kit
