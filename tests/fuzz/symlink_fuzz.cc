// Any link's text is read or refused. An accepted one is written so that it reads the same,
// harmless to a shell.
#include <cstdlib>
#include <string_view>

#include "store/symlink/format.h"
#include "store/symlink/mutex_link.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  atmost::symlink::Target target;
  if (atmost::symlink::parse_target(text, target)) {
    std::int64_t parent = 0;
    std::int64_t group = 0;
    atmost::symlink::parse_psid(target.psid, parent, group);
    atmost::symlink::expiry_ns(target);
    const atmost::PathText written = atmost::symlink::format_target(target);
    const std::string_view id = written.view().substr(written.view().find(" id=") + 4);
    if (id.find_first_of(" \t\n'\"$`\\;&|()<>*?[]{}~#!^") != std::string_view::npos) std::abort();
    atmost::symlink::Target again;
    if (!atmost::symlink::parse_target(written, again) || again.id.view() != target.id.view())
      std::abort();
    if (again.pid != target.pid || again.time_s != target.time_s || again.ttl_s != target.ttl_s)
      std::abort();
  }
  atmost::symlink::MutexText holder;
  if (atmost::symlink::parse_mutex(text, holder)) {
    atmost::symlink::MutexText again;
    if (!atmost::symlink::parse_mutex(atmost::symlink::format_mutex(holder), again)) std::abort();
  }
  return 0;
}
