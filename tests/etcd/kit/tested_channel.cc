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
  if (name != "libcurl") {
    fprintf(stderr, "$ATMOST_TESTS_CHANNEL: use libcurl or tls\n");
    abort();
  }
  // A proxy is set, so the module is loaded; no host is behind it.
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  setenv("no_proxy", "*", 1);
  return Channel::libcurl;
}

}  // namespace

Channel tested_channel() {
  static const Channel kChannel = find_channel();
  return kChannel;
}

std::string callers_loopback() {
  return tested_channel() == Channel::libcurl ? "0.0.0.0" : "127.0.0.1";
}

}  // namespace etcd_kit
