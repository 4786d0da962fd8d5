// A little HTTP proxy in front of one server: it passes bytes on, and remembers what was asked of
// it.
#ifndef ATMOST_TESTS_ETCD_KIT_RELAY_H
#define ATMOST_TESTS_ETCD_KIT_RELAY_H

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace etcd_kit {

class Relay {
 public:
  // `server`: HOST:PORT on loopback. A client gets this host, even if it names another one; CONNECT
  // makes a tunnel to it. `missing`: connections whose first request is for a path that begins so
  // are answered with 404.
  explicit Relay(const std::string& server, std::string missing = "");
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // From now on answers are dated so many years later than they are.
  void shift_dates(int years) { years_ = years; }

  // From now on the next answer behind a transaction that writes is passed on so much later.
  void hold_writes_back(int milliseconds) { late_ms_ = milliseconds; }
  int held_back() const { return held_back_; }
  // From now on members say that they are of a later version, in which leases are kept.
  void pretend_version() { pretends_ = true; }

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }
  // The number of times that these bytes were sent through it.
  int seen(const std::string& bytes);

 private:
  void accept_all();
  void serve(int client);
  bool pass(int from, int to, bool from_client);

  std::uint16_t server_port_;
  std::string missing_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<int> years_ = 0;
  std::atomic<bool> pretends_ = false;
  std::atomic<int> late_ms_ = 0;
  std::atomic<int> held_back_ = 0;
  std::atomic<int> answered_late_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;  // over sent_ and served_
  std::string sent_;
  std::list<std::thread> served_;
  std::thread accepting_;
};

}  // namespace etcd_kit

#endif
