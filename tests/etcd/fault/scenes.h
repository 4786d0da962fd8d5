// The work of callers while their way to etcd is harmed, and the promises about it that hold after
// every harm.
#ifndef ATMOST_TESTS_ETCD_FAULT_SCENES_H
#define ATMOST_TESTS_ETCD_FAULT_SCENES_H

#include <span>
#include <string>

#include "stage.h"

namespace etcd_kit {

// The keys that the scenes of one stage find: a lock that is held all the time, and one whose
// interval is running.
class Props {
 public:
  explicit Props(Stage& stage);
  Props(const Props&) = delete;
  Props& operator=(const Props&) = delete;
  ~Props();

  std::string held;         // prefix
  std::uint64_t token = 0;  // of who holds it
  std::string soon;         // prefix
  std::string trouble;      // "" when all is in place
  // True if it is still as it was set up.
  bool intact() const;

 private:
  Stage& stage_;
  Process holder_;
};

struct Scene {
  const char* name;
  // One caller, with the plan that the proxy has. The fault, or "".
  std::string (*play)(Stage& stage, const Props& props, const Plan& plan);
};
std::span<const Scene> all_scenes();

}  // namespace etcd_kit

#endif
