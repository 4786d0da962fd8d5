#include "network.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace fleet_kit {
namespace {

[[noreturn]] void give_up(const std::string& what) {
  fprintf(stderr,
          "network namespaces: %s: %s\nPARTITIONS ARE NOT TESTED HERE: this needs root and "
          "Debian's iproute2\n",
          what.c_str(), strerror(errno));
  exit(1);
}

int own_namespace() { return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC); }

// Runs ip(8) in a namespace, or here (-1).
void ip(int where, const std::string& line) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (where >= 0 && setns(where, CLONE_NEWNET) != 0) _exit(126);
    execlp("sh", "sh", "-c", ("exec ip " + line).c_str(), nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  errno = 0;
  if (status != 0) give_up("ip " + line + " failed with " + std::to_string(WEXITSTATUS(status)));
}

std::string net(unsigned host) { return "10.77." + std::to_string(host); }

}  // namespace

Network::Network(unsigned hosts) {
  if (unshare(CLONE_NEWNET) != 0) give_up("unshare");
  ip(-1, "link set lo up");
  std::ofstream forward("/proc/sys/net/ipv4/ip_forward");
  forward << "1" << std::flush;
  if (!forward) give_up("/proc/sys/net/ipv4/ip_forward");
  for (unsigned host = 0; host < hosts; ++host) lay(host);
}

Network::~Network() {
  for (int fd : hosts_) close(fd);
}

void Network::lay(unsigned host) {
  const int router = own_namespace();
  if (unshare(CLONE_NEWNET) != 0) give_up("unshare");
  const int fd = own_namespace();
  if (fd < 0 || setns(router, CLONE_NEWNET) != 0) give_up("setns");
  close(router);
  hosts_.push_back(fd);
  const std::string link = "to" + std::to_string(host);
  ip(-1, "link add " + link + " type veth peer name eth0 netns /proc/" + std::to_string(getpid()) +
             "/fd/" + std::to_string(fd));
  ip(-1, "address add " + net(host) + ".1/24 dev " + link);
  ip(-1, "link set " + link + " up");
  ip(fd, "link set lo up");
  ip(fd, "address add " + address(host) + "/24 dev eth0");
  ip(fd, "link set eth0 up");
  ip(fd, "route add default via " + net(host) + ".1");
}

std::string Network::address(unsigned host) const { return net(host) + ".2"; }

std::function<void()> Network::entrance(unsigned host) const {
  return [fd = hosts_[host]] {
    if (setns(fd, CLONE_NEWNET) != 0) _exit(126);
  };
}

// A router drops packets of a "blackhole" rule without a message.
void Network::rule(const char* verb, unsigned from, unsigned to) const {
  ip(-1, std::string("rule ") + verb + " blackhole from " + address(from) + " to " + address(to));
}

void Network::cut(unsigned from, unsigned to) {
  if (++cuts_[{from, to}] == 1) rule("add", from, to);
}

void Network::cut_connection(unsigned from, unsigned port, unsigned to) {
  const std::string number = std::to_string(port);
  ip(-1, "rule add blackhole from " + address(from) + " to " + address(to) + " ipproto tcp sport " +
             number);
  ip(-1, "rule add blackhole from " + address(to) + " to " + address(from) + " ipproto tcp dport " +
             number);
}

void Network::mend(unsigned from, unsigned to) {
  if (--cuts_[{from, to}] == 0) rule("del", from, to);
}

}  // namespace fleet_kit
