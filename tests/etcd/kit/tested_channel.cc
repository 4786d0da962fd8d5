#include "tested_channel.h"

#include <stdio.h>
#include <stdlib.h>

#include <string_view>

namespace etcd_kit {
namespace {

Channel find_channel() {
  const char* const value = getenv("ATMOST_TESTS_CHANNEL");
  const std::string_view name = value != nullptr ? value : "";
  if (name.empty()) return Channel::plain;
  if (name == "tls") return Channel::tls;
  fprintf(stderr, "$ATMOST_TESTS_CHANNEL: use tls\n");
  abort();
}

}  // namespace

Channel tested_channel() {
  static const Channel kChannel = find_channel();
  return kChannel;
}

}  // namespace etcd_kit
