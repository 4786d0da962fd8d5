// Any text: no crash, no overflow, and an answer that can be written and read again.
#include <cstdlib>
#include <string_view>

#include "core/parse.h"
#include "core/words.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const atmost::Result<atmost::Duration> span = atmost::parse_duration(text);
  if (!span.ok()) {
    if (span.error().code != atmost::Code::usage || span.error().message.truncated()) std::abort();
    return 0;
  }
  if (span.value().ns < 0 || (span.value().is_forever() && text != "inf")) std::abort();
  const atmost::Result<atmost::Duration> back =
      atmost::parse_duration(atmost::duration_words(span.value()));
  if (!back.ok() || back.value() > span.value()) std::abort();
  return 0;
}
