// Any bytes and any size of the buffer: the output has no control byte, and nothing is written
// beyond the buffer.
#include <cstdlib>
#include <string_view>

#include "core/words.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t room = static_cast<std::size_t>(data[0]) * 4;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  char* to = static_cast<char*>(std::malloc(room + 1));
  for (const bool json : {false, true}) {
    const std::size_t written =
        json ? atmost::escape_json(text, to, room) : atmost::escape(text, to, room);
    if (written > room) std::abort();
    for (std::size_t i = 0; i < written; ++i) {
      if (static_cast<unsigned char>(to[i]) < 0x20 || to[i] == 0x7f) std::abort();
    }
  }
  std::free(to);
  atmost::Text<16384> pieces;
  atmost::append_escaped(pieces, {text.data(), text.size() < 4096 ? text.size() : 4096});
  if (pieces.truncated()) std::abort();
  return 0;
}
