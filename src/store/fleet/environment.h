// The settings of stores of many machines in the environment: those that must not stand in a
// URL, which every user of the machine can read.
#ifndef ATMOST_STORE_FLEET_ENVIRONMENT_H
#define ATMOST_STORE_FLEET_ENVIRONMENT_H

#include <string>

#include "core/result.h"
#include "core/time.h"

namespace atmost::fleet {

// Empty when there is none.
std::string variable(const std::string& name);

// $NAME, or the first line of the file that $NAME_FILE names. Empty when neither is set. A usage
// error, which does not repeat the secret, when the file cannot be read; not_permitted under the
// conditions of check_private(). The variable stays: the caller that opens the store removes the
// secrets of all stores from the environment.
Status read_secret(const std::string& name, std::string& to);

// The file that $NAME names; empty when it names none. A usage error when it cannot be read.
Status take_file_name(const std::string& name, std::string& to);

// Not_permitted when others may read or write the file, which $NAME names. This is libpq's rule for
// keys: 0600, or 0640 if root owns the file and so has chosen its group.
Status check_private(const std::string& name, const std::string& path);

// A duration, neither zero nor infinite. Unchanged when $NAME is not set.
Status read_timeout(const std::string& name, Duration& to);

}  // namespace atmost::fleet

#endif
