// An HTTP/1.1 answer, read piece by piece (RFC 9112): status, headers, a body with a length, in
// chunks, or to the end.
#ifndef ATMOST_STORE_ETCD_HTTP_H
#define ATMOST_STORE_ETCD_HTTP_H

#include <cstdint>
#include <string>
#include <string_view>

namespace atmost::etcd {

class HttpReader {
 public:
  // Reads the bytes and appends those of the body to `body`. False: it is no answer, or longer than
  // 64 MiB; or more than one, unless what follows it is to be put in `behind`.
  bool feed(std::string_view bytes, std::string& body, std::string* behind = nullptr);
  // The connection has ended. False: the answer is incomplete.
  bool end() const { return done_ || state_ == State::to_end; }

  bool done() const { return done_; }
  bool begun() const { return begun_; }
  long status() const { return status_; }
  const std::string& date() const { return date_; }
  // Whether the connection can serve another question.
  bool stays() const { return done_ && !closes_; }

 private:
  enum class State : std::uint8_t {
    status_line,
    headers,
    counted,
    chunk_size,
    chunk,
    chunk_end,
    trailers,
    to_end
  };
  bool take_line(std::string_view line);
  bool take_header(std::string_view line);
  bool begin_body();

  State state_ = State::status_line;
  std::string line_;
  bool begun_ = false;
  bool done_ = false;
  bool closes_ = false;
  bool chunked_ = false;
  bool has_length_ = false;
  long status_ = 0;
  std::uint64_t left_ = 0;
  std::string date_;
};

}  // namespace atmost::etcd

#endif
