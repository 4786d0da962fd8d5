// Certificates of a test's own, made by openssl(1).
#ifndef ATMOST_TESTS_FLEET_AUTHORITY_H
#define ATMOST_TESTS_FLEET_AUTHORITY_H

#include <string>

namespace fleet_kit {

// Files; the key is for its owner alone.
struct Certificate {
  std::string cert;
  std::string key;
};

class Authority {
 public:
  // Its files are DIRECTORY/NAME.*. Ends the process when openssl does not do it.
  Authority(std::string directory, const std::string& name);

  std::string file() const { return base_ + ".crt"; }
  // A certificate for servers and clients and its key, DIRECTORY/NAME.crt and .key. `names` in the
  // notation of openssl's subjectAltName ("IP:127.0.0.1"); `subject` as its -subj. Negative days:
  // it has ended.
  Certificate issue(const std::string& name, const std::string& names,
                    const std::string& subject = "/O=atmost", int days = 2) const;

 private:
  std::string directory_;
  std::string base_;
};

}  // namespace fleet_kit

#endif
