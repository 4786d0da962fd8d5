// Certificates of a test's own authority, made by openssl(1).
#ifndef ATMOST_TESTS_POSTGRES_KIT_CERTIFICATES_H
#define ATMOST_TESTS_POSTGRES_KIT_CERTIFICATES_H

#include <string>

namespace postgres_kit {

class Certificates {
 public:
  // Makes an authority, DIRECTORY/ca.crt. Fails the test when openssl does.
  explicit Certificates(std::string directory);
  // DIRECTORY/NAME.crt and .key, for `subject`, good for so many days; below 0: it was.
  void make(const std::string& name, const std::string& subject, int days = 2) const;
  std::string certificate(const std::string& name) const { return directory_ + "/" + name + ".crt"; }
  std::string key(const std::string& name) const { return directory_ + "/" + name + ".key"; }

 private:
  void openssl(const std::string& arguments) const;

  std::string directory_;
};

}  // namespace postgres_kit

#endif
