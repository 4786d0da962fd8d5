// A proxy in front of a member of etcd that answers wrongly, as planned.
#ifndef ATMOST_TESTS_ETCD_FAULT_PROXY_H
#define ATMOST_TESTS_ETCD_FAULT_PROXY_H

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "damage.h"

namespace etcd_kit {

// X(name): a fault of one answer. If an answer is made up, etcd was asked nevertheless half of the
// times.
// clang-format off
#define ATMOST_FAULTS(X) \
  X(none) X(status_400) X(status_401) X(status_404) X(status_500) X(status_503) X(status_503_text) \
  X(status_204) X(status_302) X(error_in_200) X(empty) X(truncated) X(trailing) X(length_short) \
  X(length_long) X(length_wild) X(lengths_two) X(length_and_chunks) X(chunk_size_wild) \
  X(chunk_end_missing) X(chunks_cut) X(to_end_cut) X(header_endless) X(bytes) X(drip) X(stall_before) \
  X(stall_after) X(reset_before) X(reset_after) X(reset_within) X(stale) X(of_another) X(field)
// clang-format on

#define ATMOST_FAULT_ENUM(name) name,
enum class Fault : std::uint8_t { ATMOST_FAULTS(ATMOST_FAULT_ENUM) };
#undef ATMOST_FAULT_ENUM
inline constexpr unsigned kFaults =
    static_cast<unsigned>(Fault::field);  // without damages, which are many
const char* name_of(Fault fault);

enum class Reach : std::uint8_t {
  once,
  onwards,     // every later answer of that kind as well
  everything,  // every later answer
};

// The answer that is meant: the `nth` (from 0) of the kind `request`, the last part of the path;
// "heard": a line of a watch.
struct Plan {
  std::string request;
  unsigned nth = 0;
  Reach reach = Reach::once;
  Fault fault = Fault::none;
  Damage damage = Damage::missing;  // of Fault::field
  std::size_t place = 0;
  std::uint32_t dice = 0;
};
std::string words_of(const Plan& plan);

struct Answered {
  std::string request;
  std::size_t places = 0;  // of the answer's JSON
};

// A thread for each connection.
class FaultProxy {
 public:
  explicit FaultProxy(std::string upstream);  // HOST:PORT
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy();

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  void begin(const Plan& plan);
  // The answers since begin(), and how many of them were wrong: whatever the proxy itself did to
  // the connection.
  std::vector<Answered> answered();
  unsigned injected() const { return injected_; }
  // Of all plans: by request and fault.
  std::map<std::pair<std::string, std::string>, std::uint64_t> totals();

 private:
  friend struct Stream;
  void accept_all();
  void serve(int fd);
  bool answer(int fd, void* handle, const std::string& path, const std::string& body);
  // The plan, if it means this answer; else one without a fault.
  Plan meant(const std::string& request);
  // Notes what etcd answered; the body that is sent instead.
  std::string noted(const std::string& request, const std::string& body, Plan& plan);
  void count(const std::string& request, const Plan& plan);

  std::string upstream_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ending_ = false;
  std::atomic<unsigned> injected_ = 0;
  std::atomic<int> serving_ = 0;
  std::mutex mutex_;  // over what follows
  Plan plan_;
  bool everything_ = false;
  std::map<std::string, unsigned> asked_;
  std::map<std::string, std::string> first_;  // answers
  std::vector<Answered> answered_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> totals_;
  std::set<int> open_;
  std::thread acceptor_;
};

// answers.cc. False: the connection is over.
bool send_all(int fd, std::string_view text);
// An answer with what the plan's fault does to it, `body` being as it is to be.
bool send_answer(int fd, const Plan& plan, long status, const std::string& body);
// True if the fault is one of the body alone.
bool is_of_body(Fault fault);
// True if the fault comes before etcd is asked; some do half of the times.
bool is_before(const Plan& plan);
// Nothing, until the caller goes or 30 s have passed.
void stall(int fd);
void reset(int fd);

}  // namespace etcd_kit

#endif
