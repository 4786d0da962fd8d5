// HTTP to one endpoint of etcd, by libcurl: questions with one answer, and flows of lines. TLS with
// verification, client certificates, proxies.
#ifndef ATMOST_STORE_ETCD_CHANNEL_H
#define ATMOST_STORE_ETCD_CHANNEL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "access.h"

namespace atmost::etcd {

struct Question {
  std::string endpoint;  // http://HOST:PORT or https://…
  std::string path;      // from its first slash on
  std::vector<std::string> headers;
  std::string body;
};

// Knowledge of an endpoint that gave no answer.
enum class Lack : std::uint8_t {
  other,    // not known: it may be down, or the network
  name,     // no host has its name
  server,   // the host is there, and no process listens on the port
  protocol  // a process listens there, takes the question and closes the connection
};

struct Exchange {
  long status = 0;  // HTTP's; 0: there is no whole answer, and `trouble` has the reason
  std::string body;
  std::string trouble;
  std::string date;  // the answer's, unchanged
  Lack lack = Lack::other;
  bool arrived = false;   // the question may have reached a server
  bool distrust = false;  // the two do not agree on TLS, or do not trust each other's certificate:
                          // another try fails, too
};

enum class Heard : std::uint8_t {
  line,
  time,         // the moment has come
  interrupted,  // a signal handler ran, or the bell became readable
  broken,       // the flow has ended; an unfinished line is in the line
};

// When a flow is silent, the kernel asks the peer whether it is still there: first after this many
// seconds, then at intervals. (A connection that a router has forgotten would be silent for good.)
inline constexpr int kProbeIdleS = 10;
inline constexpr int kProbePauseS = 5;

// An answer that does not end.
class Flow {
 public:
  virtual ~Flow() = default;
  // Blocks. `bell`: a descriptor, -1 for none.
  virtual Heard next(std::string& line, std::int64_t until_boot_ns, int requests) = 0;
};

// One thread at a time. One connection is kept between exchanges; each flow has its own.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual Exchange exchange(const Question& question, std::int64_t until_boot_ns) = 0;
  // Closes the connection that is kept, if there is one.
  virtual void hang_up() = 0;
  // Null: out of memory.
  virtual std::unique_ptr<Flow> flow(const Question& question) = 0;
};

// For the endpoints of `access`. Null: libcurl cannot be used.
std::unique_ptr<Channel> make_channel(const Access& access);

}  // namespace atmost::etcd

#endif
