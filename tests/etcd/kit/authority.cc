#include "authority.h"

#include <stdio.h>
#include <stdlib.h>

#include <fstream>
#include <utility>

namespace etcd_kit {
namespace {

constexpr const char* kKey = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes ";

void openssl(const std::string& words) {
  const std::string line = "openssl " + words + " >/dev/null 2>&1";
  if (system(line.c_str()) == 0) return;
  fprintf(stderr, "it failed: %s\n", line.c_str());
  abort();
}

}  // namespace

Authority::Authority(std::string directory, const std::string& name)
    : directory_(std::move(directory)), base_(directory_ + "/" + name) {
  openssl("req -x509 -days 2 -subj /CN=" + name + kKey + "-keyout " + base_ + ".key -out " + file());
}

Tls Authority::issue(const std::string& name, const std::string& names, const std::string& subject,
                     int days) const {
  const std::string made = directory_ + "/" + name;
  std::ofstream(made + ".ext") << "extendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=" << names << "\n";
  openssl("req -subj " + subject + kKey + "-keyout " + made + ".key -out " + made + ".csr");
  openssl("x509 -req -CAcreateserial -in " + made + ".csr -CA " + file() + " -CAkey " + base_ +
          ".key -days " + std::to_string(days) + " -extfile " + made + ".ext -out " + made + ".crt");
  return {made + ".crt", made + ".key", ""};
}

}  // namespace etcd_kit
