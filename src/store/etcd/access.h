// Where etcd is and how to log in: the URL, and the settings that must not stand in a URL, from the
// environment.
#ifndef ATMOST_STORE_ETCD_ACCESS_H
#define ATMOST_STORE_ETCD_ACCESS_H

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace atmost::etcd {

struct Access {
  std::vector<std::string> endpoints;  // http://HOST:PORT or https://…
  std::string prefix;                  // of all keys, without a slash at its end: "/atmost"

  std::string ca_file;  // empty: the system's authorities
  std::string cert_file;
  std::string key_file;
  std::string user;
  std::string password;
  std::string token;  // sent unchanged, instead of logging in for one
  Duration timeout = Duration::seconds(5);
};

// etcd://HOST:PORT[,HOST:PORT...]/PREFIX, and ATMOST_ETCD_CACERT, _CERT, _KEY (files), _TLS (1: on
// without those), _USER, _PASSWORD, _PASSWORD_FILE, _TOKEN, _TOKEN_FILE, _TIMEOUT (a duration). The
// secrets themselves are taken out of the environment: no command inherits them. Files with secrets
// that others may read are refused (not_permitted). Errors repeat neither the URL nor a secret.
Result<Access> read_access(std::string_view url);

}  // namespace atmost::etcd

#endif
