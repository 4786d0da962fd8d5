// Locks in etcd beside etcdctl's, on one cluster of three members on this machine: the cost for one
// caller, for fifty at once, and how fast slots pass among two hundred.
#include <stdlib.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "etcd/kit/cluster.h"
#include "fleet_kit.h"

namespace {

using fleet_bench::Arena;
using fleet_bench::Contender;
using fleet_bench::Line;

Contender etcdctl_lock(const etcd_kit::Cluster& cluster) {
  return {"etcdctl lock",
          [hosts = cluster.hosts()](const std::string& lock, const Line&, const Line& command) {
            Line line = {"etcdctl", "--endpoints=" + hosts, "lock", lock, "--"};
            line.insert(line.end(), command.begin(), command.end());
            return line;
          }};
}

// On the first member, which may have to pass writes on to the leader.
Contender bare(const Arena& arena, const etcd_kit::Cluster& cluster) {
  const std::string host = cluster.host(0);
  const std::size_t colon = host.rfind(':');
  return {"floor: lease, key, end of lease",
          [program = arena.beside("bench_floor_etcd"), address = host.substr(0, colon),
           port = host.substr(colon + 1)](const std::string&, const Line&, const Line& command) {
            Line line = {program, address, port, "floorkey"};
            line.insert(line.end(), command.begin(), command.end());
            return line;
          }};
}

// The sum of a counter over the members: of its lines that begin so and hold `kind`.
double counted(const etcd_kit::Cluster& cluster, const char* counter, const char* kind) {
  double all = 0;
  for (unsigned i = 0; i < cluster.count(); ++i) {
    std::istringstream lines(etcd_kit::fetch(cluster.host(i), "/metrics", nullptr, 5000));
    for (std::string line; std::getline(lines, line);) {
      if (line.find(counter) != 0 || line.find(kind) == std::string::npos) continue;
      all += atof(line.c_str() + line.rfind(' '));
    }
  }
  return all;
}

// The number of transactions that the members have served: reads and writes.
double transactions(const etcd_kit::Cluster& cluster) {
  return counted(cluster, "grpc_server_handled_total{", "grpc_method=\"Txn\"");
}
// The number of ranges that they have read for them. Each member reads the keys that a writing
// transaction compares; one member alone serves a read.
double ranges(const etcd_kit::Cluster& cluster) {
  return counted(cluster, "etcd_debugging_mvcc_range_total ", "");
}

void measure(const Arena& arena) {
  setenv("ETCDCTL_API", "3", 1);
  const etcd_kit::Cluster cluster;
  std::printf("etcd, three members\n");
  const Contender ours = fleet_bench::atmost_at(arena, cluster.url("/bench"));
  const Contender theirs = etcdctl_lock(cluster);
  fleet_bench::one_caller(arena, ours, theirs, {bare(arena, cluster)});
  fleet_bench::fifty_at_once(arena, ours, theirs, {});
  std::vector<double> read;
  const double each = fleet_bench::two_hundred_waiters(
      arena, ours,
      {[&](const std::string& lock) { return cluster.waiting("/bench/" + lock); },
       [&] {
         read.push_back(ranges(cluster));
         return transactions(cluster);
       }});
  // 204 releases and 200 admissions are the writes. All other transactions read.
  std::printf("  for each release: %.2f transactions that only read\n", each - 1 - 200.0 / 204);
  const double all = read.size() == 2 ? (read[1] - read[0]) / 204 : 0;
  std::printf(
      "  for each release, by etcd's own counter: %.1f ranges on each member, all told (%.1f on "
      "the three)\n",
      all / cluster.count(), all);
}

}  // namespace

int main(int argc, char** argv) { return fleet_bench::run(argc, argv, measure); }
