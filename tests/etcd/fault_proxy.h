// A proxy in front of one member of etcd that answers wrongly, on purpose and at random.
#ifndef ATMOST_TESTS_ETCD_FAULT_PROXY_H
#define ATMOST_TESTS_ETCD_FAULT_PROXY_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>

namespace etcd_kit {

enum class Fault : std::uint8_t {
  none,
  unavailable,   // 503
  empty,         // 200 without a body
  truncated,     // JSON that ends in the middle
  no_field,      // JSON that lost a member, anywhere in it
  stall,         // nothing, until the caller goes
  reset_before,  // the connection is reset, before etcd was asked
  reset_after,   // and after
};
inline constexpr int kFaults = 7;

// A thread for each connection. Watches pass unharmed, or are cut off.
class FaultProxy {
 public:
  explicit FaultProxy(std::string upstream);  // HOST:PORT
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy();

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  // Of a hundred requests so many get a fault; `only`: this one.
  void harm(unsigned percent, Fault only = Fault::none) {
    only_ = only;
    percent_ = percent;
  }
  std::uint64_t injected() const { return injected_; }

 private:
  void accept_all();
  void serve(int fd);
  bool answer(int fd, const std::string& path, const std::string& body);
  void tunnel(int fd, const std::string& request);
  Fault choose();

  std::string upstream_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<unsigned> percent_ = 0;
  std::atomic<Fault> only_ = Fault::none;
  std::atomic<std::uint64_t> injected_ = 0;
  std::atomic<int> serving_ = 0;
  std::mutex mutex_;  // over random_ and open_
  std::mt19937 random_;
  std::set<int> open_;
  std::thread acceptor_;
};

}  // namespace etcd_kit

#endif
