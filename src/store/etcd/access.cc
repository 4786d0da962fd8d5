#include "access.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "atmost/parse.h"

namespace atmost::etcd {
namespace {

constexpr std::string_view kScheme = "etcd://";
constexpr std::string_view kShape = "--store: use etcd://HOST:PORT[,HOST:PORT...]/PREFIX";

Error wrong(std::string_view what) {
  Error error = error_of(Code::usage, 0, kShape);
  error.message.append(": ").append(what);
  return error;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// HOST:PORT, [V6]:PORT or HOST; nothing that a URL could understand otherwise.
bool is_endpoint(std::string_view text) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos && text[0] != ':' &&
         text[0] != '-';
}

bool has_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  return colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
}

// The first line of a file: secrets end in a newline that is not theirs.
Status read_secret(const char* variable_name, std::string& to) {
  const std::string path = variable(variable_name);
  if (path.empty()) return {};
  std::ifstream file(path);
  if (file && std::getline(file, to) && !to.empty()) return {};
  Error error = error_of(Code::usage, errno, "$");
  error.message.append(variable_name).append(": cannot read a secret from ").append(path);
  return error;
}

Status read_timeout(Duration& to) {
  const std::string text = variable("ATMOST_ETCD_TIMEOUT");
  if (text.empty()) return {};
  const Result<Duration> span = parse_duration(text);
  if (span.ok() && !span.value().is_zero() && !span.value().is_forever()) {
    to = span.value();
    return {};
  }
  return error_of(Code::usage, 0, "$ATMOST_ETCD_TIMEOUT: use a duration, such as 5s");
}

Status read_endpoints(std::string_view hosts, bool tls, Access& to) {
  for (;;) {
    const std::size_t comma = hosts.find(',');
    const std::string_view host = hosts.substr(0, comma);
    if (!is_endpoint(host)) {
      return wrong(host.empty() ? "a host is missing"
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
  to.password = variable("ATMOST_ETCD_PASSWORD");
  to.token = variable("ATMOST_ETCD_TOKEN");
  unsetenv("ATMOST_ETCD_PASSWORD");
  unsetenv("ATMOST_ETCD_TOKEN");
  if (Status read = read_secret("ATMOST_ETCD_PASSWORD_FILE", to.password); !read.ok()) return read;
  if (Status read = read_secret("ATMOST_ETCD_TOKEN_FILE", to.token); !read.ok()) return read;
  if (!to.password.empty() && to.user.empty()) {
    return error_of(Code::usage, 0, "$ATMOST_ETCD_PASSWORD needs $ATMOST_ETCD_USER as well");
  }
  return {};
}

}  // namespace

Result<Access> read_access(std::string_view url) {
  Access access;
  access.ca_file = variable("ATMOST_ETCD_CACERT");
  access.cert_file = variable("ATMOST_ETCD_CERT");
  access.key_file = variable("ATMOST_ETCD_KEY");
  if (access.cert_file.empty() != access.key_file.empty()) {
    return error_of(Code::usage, 0, "$ATMOST_ETCD_CERT and $ATMOST_ETCD_KEY: one needs the other");
  }
  const bool tls = !access.ca_file.empty() || !access.cert_file.empty() || variable("ATMOST_ETCD_TLS") == "1";
  if (!url.starts_with(kScheme)) return wrong("it begins otherwise");
  url.remove_prefix(kScheme.size());
  const std::size_t slash = url.find('/');
  if (slash == std::string_view::npos) return wrong("the prefix of the keys is missing");
  if (Status read = read_endpoints(url.substr(0, slash), tls, access); !read.ok()) return read.error();
  access.prefix = url.substr(slash);
  while (access.prefix.ends_with('/')) access.prefix.pop_back();
  if (access.prefix.empty()) return wrong("the prefix of the keys is missing");
  if (access.prefix.find_first_of("?#") != std::string::npos) return wrong("a prefix holds no ? and no #");
  if (Status read = read_secrets(access); !read.ok()) return read.error();
  if (Status read = read_timeout(access.timeout); !read.ok()) return read.error();
  return access;
}

}  // namespace atmost::etcd
