#include "authority.h"

#include <stdio.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "job.h"

namespace fleet_kit {
namespace {

constexpr const char* kKey = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes ";

void openssl(const std::string& words) {
  const Said said = shell("openssl " + words);
  if (said.code == 0) return;
  fprintf(stderr, "it failed: openssl %s\n%s\n", words.c_str(), said.words.c_str());
  abort();
}

}  // namespace

Authority::Authority(std::string directory, const std::string& name)
    : directory_(std::move(directory)), base_(directory_ + "/" + name) {
  openssl("req -x509 -days 2 -subj /CN=" + name + kKey + "-keyout " + base_ + ".key -out " +
          file());
}

Certificate Authority::issue(const std::string& name, const std::string& names,
                             const std::string& subject, int days) const {
  const std::string made = directory_ + "/" + name;
  const Certificate issued = {made + ".crt", made + ".key"};
  std::ofstream(made + ".ext") << "extendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=" << names
                               << "\n";
  openssl("req -subj " + subject + kKey + "-keyout " + issued.key + " -out " + made + ".csr");
  openssl("x509 -req -CAcreateserial -in " + made + ".csr -CA " + file() + " -CAkey " + base_ +
          ".key -days " + std::to_string(days) + " -extfile " + made + ".ext -out " + issued.cert);
  // As openssl leaves it by itself; but programs that want it so are not to depend on that.
  using std::filesystem::perms;
  std::filesystem::permissions(issued.key, perms::owner_read | perms::owner_write);
  return issued;
}

}  // namespace fleet_kit
