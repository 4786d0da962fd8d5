#include "certificates.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <utility>

namespace postgres_kit {

Certificates::Certificates(std::string directory) : directory_(std::move(directory)) {
  openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority "
      "-keyout " +
      key("ca") + " -out " + certificate("ca"));
}

void Certificates::make(const std::string& name, const std::string& subject, int days) const {
  const std::string request = directory_ + "/" + name + ".csr";
  openssl("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + subject +
          " -addext subjectAltName=DNS:" + subject + " -keyout " + key(name) + " -out " + request);
  openssl("x509 -req -copy_extensions copy -CAcreateserial -CA " + certificate("ca") + " -CAkey " +
          key("ca") + " -days " + std::to_string(days) + " -in " + request + " -out " + certificate(name));
  EXPECT_EQ(chmod(key(name).c_str(), 0600), 0);
}

void Certificates::openssl(const std::string& arguments) const {
  const std::string log = directory_ + "/openssl.log";
  EXPECT_EQ(std::system(("openssl " + arguments + " 2>>" + log).c_str()), 0) << "see " << log;
}

}  // namespace postgres_kit
