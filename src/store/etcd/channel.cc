#include "channel.h"

#include <dlfcn.h>

#include "os/machine.h"
#include "os/self.h"

namespace atmost::etcd {
namespace {

constexpr const char* kModule = "atmost-curl.so";

bool is_loopback(std::string_view endpoint) {
  const std::string_view host = endpoint.substr(endpoint.find("://") + 3);
  return host.starts_with("127.") || host.starts_with("localhost:") || host.starts_with("[::1]");
}

bool is_set(const char* name) {
  const char* const value = os::variable(name);
  return value != nullptr && value[0] != '\0';
}

bool needs_curl(const Access& access) {
  const bool proxy = is_set("http_proxy") || is_set("all_proxy") || is_set("ALL_PROXY");
  for (const std::string& endpoint : access.endpoints) {
    if (endpoint.starts_with("https://") || (proxy && !is_loopback(endpoint))) return true;
  }
  return false;
}

// Looks beside this program, then where the module is installed.
void* open_module(std::string& why) {
  PathText own;
  std::string beside;
  if (os::program_path(own)) beside = own.view().substr(0, own.view().rfind('/') + 1);
  for (const std::string& directory : {beside, std::string(ATMOST_LIBEXEC "/")}) {
    void* const module =
        directory.empty() ? nullptr : dlopen((directory + kModule).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module != nullptr) return module;
    if (why.empty() && !directory.empty()) why = dlerror();
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Channel> make_channel(const Access& access, std::string& why) {
  if (!needs_curl(access)) return make_plain_channel();
  static void* const module = open_module(why);
  void* const make = module != nullptr ? dlsym(module, kMakeCurlChannel) : nullptr;
  if (make == nullptr) {
    if (why.empty()) why = "its module for TLS and proxies cannot be loaded";
    return nullptr;
  }
  return std::unique_ptr<Channel>(reinterpret_cast<MakeChannel>(make)(access));
}

}  // namespace atmost::etcd
