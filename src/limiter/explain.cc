// `explain` and `diagnose` of limiter.h: the local store's own, under the public name.
#include "store/local/explain.h"
#include "core/limiter.h"
#include "store/local/doctor.h"

namespace atmost {

Status explain(const LockSpec& lock, int fd) { return local::explain(lock, fd); }

Result<bool> diagnose(std::string_view directory, int fd, bool json) {
  return local::diagnose(directory, fd, json);
}

}  // namespace atmost
