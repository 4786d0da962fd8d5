#include "access.h"

#include <algorithm>

#include "store/fleet/environment.h"

namespace atmost::etcd {
namespace {

using fleet::variable;

constexpr std::string_view kScheme = "etcd://";
constexpr std::string_view kShape = "--store: use etcd://HOST:PORT[,HOST:PORT...]/PREFIX";

Error wrong(std::string_view what) {
  Error error = error_of(Code::usage, 0, kShape);
  error.message.append(": ").append(what);
  return error;
}

bool has_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  return colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
}

bool is_port(std::string_view text) {
  std::uint32_t port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || port > 65535) return false;
    port = 10 * port + static_cast<std::uint32_t>(c - '0');
  }
  return port >= 1 && port <= 65535;
}

// HOST:PORT, [V6]:PORT or HOST; nothing that a URL parser could read differently.
bool is_endpoint(std::string_view text) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";
  if (text.empty() || text.find_first_not_of(kLetters) != std::string_view::npos) return false;
  if (text[0] == '[' && text.find(']') == std::string_view::npos) return false;
  return text[0] != ':' && text[0] != '-' &&
         (!has_port(text) || is_port(text.substr(text.rfind(':') + 1)));
}

Status read_endpoints(std::string_view hosts, bool tls, Access& to) {
  for (;;) {
    const std::size_t comma = hosts.find(',');
    const std::string_view host = hosts.substr(0, comma);
    if (!is_endpoint(host)) {
      return wrong(host.empty()
                       ? "a host is missing"
                       : "a host is not HOST:PORT (names and passwords do not belong there)");
    }
    std::string endpoint = tls ? "https://" : "http://";
    endpoint += host;
    if (!has_port(host)) endpoint += ":2379";
    to.endpoints.push_back(std::move(endpoint));
    if (comma == std::string_view::npos) return {};
    hosts.remove_prefix(comma + 1);
  }
}

Status read_secrets(Access& to) {
  to.user = variable("ATMOST_ETCD_USER");
  Status password = fleet::read_secret("ATMOST_ETCD_PASSWORD", to.password);
  Status token = fleet::read_secret("ATMOST_ETCD_TOKEN", to.token);
  if (!password.ok()) return password;
  if (!token.ok()) return token;
  if (!to.password.empty() && to.user.empty()) {
    return error_of(Code::usage, 0, "$ATMOST_ETCD_PASSWORD needs $ATMOST_ETCD_USER as well");
  }
  return {};
}

Status read_certificates(Access& to) {
  if (Status named = fleet::take_file_name("ATMOST_ETCD_CACERT", to.ca_file); !named.ok())
    return named;
  if (Status named = fleet::take_file_name("ATMOST_ETCD_CERT", to.cert_file); !named.ok())
    return named;
  if (Status named = fleet::take_file_name("ATMOST_ETCD_KEY", to.key_file); !named.ok())
    return named;
  if (to.cert_file.empty() != to.key_file.empty())
    return error_of(Code::usage, 0, "$ATMOST_ETCD_CERT and $ATMOST_ETCD_KEY: one needs the other");
  return to.key_file.empty() ? Status{} : fleet::check_private("ATMOST_ETCD_KEY", to.key_file);
}

// A misspelt value is an error, because it must not mean plain text.
Status read_tls(bool& to) {
  const std::string wish = variable("ATMOST_ETCD_TLS");
  to = wish == "1";
  if (to || wish.empty() || wish == "0") return {};
  return error_of(Code::usage, 0, "$ATMOST_ETCD_TLS: use 1 (0 is as if it were not set)");
}

}  // namespace

Result<Access> read_access(std::string_view url) {
  Access access;
  bool tls = false;
  if (Status read = read_tls(tls); !read.ok()) return read.error();
  if (Status named = read_certificates(access); !named.ok()) return named.error();
  tls = tls || !access.ca_file.empty() || !access.cert_file.empty();
  if (!url.starts_with(kScheme)) return wrong("it begins otherwise");
  url.remove_prefix(kScheme.size());
  const std::size_t slash = url.find('/');
  if (slash == std::string_view::npos) return wrong("the prefix of the keys is missing");
  if (Status read = read_endpoints(url.substr(0, slash), tls, access); !read.ok())
    return read.error();
  access.prefix = url.substr(slash);
  // Two spellings of one place are one place.
  for (std::size_t twice; (twice = access.prefix.find("//")) != std::string::npos;)
    access.prefix.erase(twice, 1);
  while (access.prefix.ends_with('/')) access.prefix.pop_back();
  if (access.prefix.empty()) return wrong("the prefix of the keys is missing");
  if (access.prefix.find_first_of("?#") != std::string::npos)
    return wrong("a prefix holds no ? and no #");
  const bool controls = std::any_of(access.prefix.begin(), access.prefix.end(),
                                    [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (controls) return wrong("a prefix holds no control characters");
  if (Status read = read_secrets(access); !read.ok()) return read.error();
  if (Status read = fleet::read_timeout("ATMOST_ETCD_TIMEOUT", access.timeout); !read.ok())
    return read.error();
  return access;
}

}  // namespace atmost::etcd
