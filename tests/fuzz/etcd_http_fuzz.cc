// Whatever comes over a connection: an answer or none; the same in one piece and byte by byte.
#include <string>
#include <string_view>

#include "require.h"
#include "store/etcd/http.h"

namespace {

struct Read {
  bool good = true;
  std::string body;
  atmost::etcd::HttpReader reader;
};

Read read_in_pieces(std::string_view text, std::size_t piece) {
  Read read;
  while (read.good && !text.empty()) {
    read.good = read.reader.feed(text.substr(0, piece), read.body);
    text.remove_prefix(std::min(piece, text.size()));
  }
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const Read whole = read_in_pieces(text, size + 1);
  const Read bytes = read_in_pieces(text, 1);
  const Read sevens = read_in_pieces(text, 7);
  for (const Read* pieces : {&bytes, &sevens}) {
    require(whole.good == pieces->good && whole.reader.done() == pieces->reader.done());
    require(whole.body == pieces->body && whole.reader.status() == pieces->reader.status());
  }
  require(!whole.reader.stays() || whole.reader.done());
  require(!whole.reader.done() || (whole.reader.status() >= 200 && whole.reader.status() <= 999));
  require(whole.body.size() <= size);
  return 0;
}
