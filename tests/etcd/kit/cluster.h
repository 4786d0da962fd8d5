// An etcd cluster of a test's own: members on loopback, with ports the kernel chose and data in a temporary directory;
// gone with the test, however that ends.
#ifndef ATMOST_TESTS_ETCD_KIT_CLUSTER_H
#define ATMOST_TESTS_ETCD_KIT_CLUSTER_H

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace etcd_kit {

class Cluster {
 public:
  // Blocks until all members answer. Ends the process when there is no etcd or it does not start. `settings`: more options
  // for every member.
  explicit Cluster(unsigned count = 3, const std::vector<std::string>& settings = {});
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  unsigned count() const { return static_cast<unsigned>(members_.size()); }
  std::string host(unsigned member) const;  // HOST:PORT
  std::string hosts() const;                // all of them, with commas
  std::string url(const std::string& prefix) const { return "etcd://" + hosts() + prefix; }
  pid_t pid(unsigned member) const { return members_[member].pid; }

  void signal(unsigned member, int number);
  void kill(unsigned member);  // SIGKILL, and gone
  void start(unsigned member);
  // Whether a majority answers through this member.
  bool healthy(unsigned member) const;
  void wait_healthy(unsigned member) const;
  // The member that leads; -1: none says so.
  int leader() const;

 private:
  struct Member {
    std::uint16_t client_port = 0;
    std::uint16_t peer_port = 0;
    pid_t pid = -1;
  };
  bool try_start(unsigned count);
  void stop_all();

  std::string directory_;
  std::vector<std::string> settings_;
  std::vector<Member> members_;
};

// The answer to a request of a gateway, "" when none came. GET when `body` is null.
std::string fetch(const std::string& host, const std::string& path, const char* body, long timeout_ms = 1000);

}  // namespace etcd_kit

#endif
