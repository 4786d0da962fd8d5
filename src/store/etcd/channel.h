// HTTP to one endpoint of etcd: questions with one answer, and flows of lines.
//
// Plain http to a name or an address is implemented here (plain_channel.cc), because a program that
// is started for every job pays for what it loads: with libcurl alone, linked or loaded, a run
// would take 6.5 to 8.6 ms more (14.6 and 16.6 ms for 8.0; docs/performance.md). TLS and proxies
// use libcurl (curl_channel.cc), in a module that is loaded when it is needed. Both have to pass
// the same tests: etcd_test_over() in tests/etcd/CMakeLists.txt.
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

// What is known of an endpoint that gave no answer.
enum class Lack : std::uint8_t {
  other,    // not known: it may be down, or the network
  name,     // no host has its name
  server,   // the host is there, and no process listens on the port
  protocol  // a process listens there, takes the question and closes the connection
};

struct Exchange {
  long status = 0;  // HTTP's; 0: there is no whole answer, and `trouble` says why
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
  // `behind`: questions to the same endpoint that are sent before this one is answered, if
  // sends_behind(). next_answer() is to be called for each of them, in their order; if another
  // exchange() comes first, their answers are thrown away.
  virtual Exchange exchange(const Question& question, std::int64_t until_boot_ns,
                            const std::vector<Question>& behind) = 0;
  virtual bool sends_behind() const { return false; }
  // Of the first question that was sent behind another one and has had no answer. Such a question
  // counts as arrived.
  virtual Exchange next_answer(std::int64_t) { return {}; }
  // Closes the connection that is kept, if there is one.
  virtual void hang_up() = 0;
  // Null: out of memory.
  virtual std::unique_ptr<Flow> flow(const Question& question) = 0;
};

std::unique_ptr<Channel> make_plain_channel();

// The one for these endpoints. Null: `why` says what is missing.
std::unique_ptr<Channel> make_channel(const Access& access, std::string& why);

// The function that the module exports under this name.
using MakeChannel = Channel* (*)(const Access& access);
inline constexpr char kMakeCurlChannel[] = "atmost_curl_channel";

}  // namespace atmost::etcd

#endif
