// Runs the scripts named by its arguments with a cluster of their own (lib.sh). Exit code 1 when
// one of them failed.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <string>

#if defined(WITH_ETCD)
#include "etcd/kit/cluster.h"
#elif defined(WITH_SHARED)
#include <unistd.h>

#include <filesystem>

#include "store/shared/directory.h"
#else
#include "postgres/kit/cluster.h"
#endif

namespace {

struct Fleet {
  std::string url;
  std::string dead;  // nothing listens on port 1
  std::string pids;
  bool trusted = true;  // by the doctor
};

#if defined(WITH_ETCD)
using etcd_kit::Cluster;
Fleet fleet_of(const Cluster& cluster) {
  return {cluster.url("/t"), "etcd://127.0.0.1:1/t", std::to_string(cluster.pid(0)),
          Cluster::keeps_leases()};
}
#elif defined(WITH_SHARED)
// A directory of this machine, which takes the same calls as one on NFS. There is no server.
struct Cluster {
  Cluster() {
    if (mkdtemp(directory) == nullptr) abort();
    setenv(atmost::shared::kAnyFilesystem, "1", 1);
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster() { std::filesystem::remove_all(directory); }

  char directory[32] = "/tmp/atmost-shared-XXXXXX";
};
Fleet fleet_of(const Cluster& cluster) {
  const std::string url = std::string("shared:") + cluster.directory;
  return {url, url + "/missing", std::to_string(getpid()), true};
}
#else
using postgres_kit::Cluster;
Fleet fleet_of(const Cluster& cluster) {
  Fleet fleet = {cluster.url(), "postgres://nobody@127.0.0.1:1/t", "", true};
  for (const pid_t pid : cluster.processes()) fleet.pids += std::to_string(pid) + " ";
  return fleet;
}
#endif

}  // namespace

int main(int argc, char** argv) {
#ifdef WITH_ETCD
  const Cluster cluster(1);
#else
  const Cluster cluster;
#endif
  int failed = 0;
  for (int i = 1; i < argc; ++i) {
    const Fleet fleet = fleet_of(cluster);
    setenv("FLEET_STORE", fleet.url.c_str(), 1);
    setenv("FLEET_DEAD", fleet.dead.c_str(), 1);
    setenv("FLEET_PIDS", fleet.pids.c_str(), 1);
    setenv("FLEET_TRUSTED", fleet.trusted ? "yes" : "no", 1);
    const std::string line = "exec sh '" + std::string(argv[i]) + "'";
    const int status = system(line.c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    printf("%s: %s\n", argv[i], code == 0 ? "passed" : code == 125 ? "skipped" : "FAILED");
    fflush(stdout);
    failed |= static_cast<int>(code != 0 && code != 125);
  }
  return failed;
}
