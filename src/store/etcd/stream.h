// A watch: lines that come as things happen.
#ifndef ATMOST_STORE_ETCD_STREAM_H
#define ATMOST_STORE_ETCD_STREAM_H

#include <deque>
#include <string>

#include "gateway.h"

namespace atmost::etcd {

// One owner, one thread. Its connection is its own, beside the gateway's.
class Stream {
 public:
  explicit Stream(Gateway& gateway) : gateway_(gateway) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { close(); }

  // Begins a request whose answer does not end. False: out of memory.
  bool open(const std::string& path, const std::string& body);
  bool is_open() const { return handle_ != nullptr; }
  void close();

  enum class Heard : std::uint8_t {
    line,
    time,         // `until_boot_ns` has come
    interrupted,  // a signal handler ran, or `bell` became readable
    broken,       // the stream has ended; its error, if it told one, is in `line`
  };
  // Blocks. `bell`: -1 for none.
  Heard next(std::string& line, std::int64_t until_boot_ns, int bell);

 private:
  static std::size_t receive(char* from, std::size_t, std::size_t size, void* self);
  bool pump();
  // Waits for the connection: 0, or EINTR, or 1 for the bell.
  int wait(std::int64_t until_boot_ns, int bell);

  Gateway& gateway_;
  CURLM* multi_ = nullptr;
  CURL* handle_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::string partial_;
  std::deque<std::string> lines_;
};

}  // namespace atmost::etcd

#endif
