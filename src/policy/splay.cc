#include "splay.h"

#include <cstdint>

namespace atmost::policy {

Duration splay_part(Duration whole, std::string_view host, std::string_view lock) {
  if (whole.is_forever()) return {};
  // FNV-1a, then a finalizer (splitmix64): similar names get very different values
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](char c) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  for (char c : host) add(c);
  add('\0');
  for (char c : lock) add(c);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  hash ^= hash >> 31;
  const auto part = static_cast<unsigned __int128>(hash) * static_cast<std::uint64_t>(whole.ns);
  return {static_cast<std::int64_t>(part >> 64)};
}

}  // namespace atmost::policy
