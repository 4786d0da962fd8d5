#include "asking.h"

namespace atmost::postgres {

Result<bool> PostgresStore::diagnose(int, bool) { return atmost::error_of(Code::internal, 0, "not yet"); }

}  // namespace atmost::postgres
