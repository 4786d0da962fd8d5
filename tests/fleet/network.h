// A network of hosts inside the kernel, for tests of partitions: each host a network namespace of
// its own, joined to the others by a router, the test itself. The namespaces have no names: the
// kernel frees them, links and rules and all, when the last process in them and the test have
// ended, however they do. Needs root (CAP_SYS_ADMIN, CAP_NET_ADMIN) and ip(8).
#ifndef ATMOST_TESTS_FLEET_NETWORK_H
#define ATMOST_TESTS_FLEET_NETWORK_H

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fleet_kit {

class Network {
 public:
  // Moves the calling thread into the router's namespace, and so every thread and process it starts
  // from now on. Ends the process with the reason where that cannot be done: partitions cannot be
  // tested there.
  explicit Network(unsigned hosts);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  std::string address(unsigned host) const;
  // To be called in a forked child: it lives on that host from then on.
  std::function<void()> entrance(unsigned host) const;

  // From now on packets from the one to the other vanish, without a word to either; until it is
  // mended. One direction: the way back stays as it is. A network that is cut twice has to be
  // mended twice. The test itself reaches every host at all times.
  void cut(unsigned from, unsigned to);
  void mend(unsigned from, unsigned to);
  // The same, both ways and for good, for the one TCP connection that `from` has from that port.
  void cut_connection(unsigned from, unsigned port, unsigned to);

 private:
  void lay(unsigned host);
  void rule(const char* verb, unsigned from, unsigned to) const;

  std::vector<int> hosts_;  // namespaces, by descriptor
  std::map<std::pair<unsigned, unsigned>, unsigned> cuts_;
};

}  // namespace fleet_kit

#endif
