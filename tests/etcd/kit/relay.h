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

#include "tested_channel.h"

namespace etcd_kit {

class Relay {
 public:
  // `server`: HOST:PORT on loopback. Whatever host a client names, it gets this one; CONNECT makes
  // a tunnel to it. `missing`: connections whose first request is for a path that begins so are
  // answered with 404.
  explicit Relay(const std::string& server, std::string missing = "");
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  // From now on answers are dated so many years later than they are.
  void shift_dates(int years) { years_ = years; }

  std::string host() const { return callers_loopback() + ":" + std::to_string(port_); }
  int connections() const { return connections_; }
  // How often these bytes were sent through it.
  int seen(const std::string& bytes);
  // How many questions had been sent when the first answer of all came.
  int asked_before_an_answer() const { return asked_first_; }

 private:
  void accept_all();
  void serve(int client);
  bool pass(int from, int to, bool from_client);

  std::uint16_t server_port_;
  std::string missing_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<int> years_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<int> connections_ = 0;
  std::atomic<int> asked_first_ = -1;
  std::mutex mutex_;  // over sent_ and served_
  std::string sent_;
  std::list<std::thread> served_;
  std::thread accepting_;
};

}  // namespace etcd_kit

#endif
