// The lock file in words, for `atmost explain`: every byte range and who holds it, every hint and
// whether it counts.
#ifndef ATMOST_LIBEXEC_EXPLAIN_EXPLAIN_H
#define ATMOST_LIBEXEC_EXPLAIN_EXPLAIN_H

#include <string>

#include "core/result.h"

namespace atmost::explain {

// `path`: of the lock file. Needs no more than the right to read the file, changes nothing, takes
// no lock: what others do meanwhile may look like a contradiction. A file that `run` would refuse
// is explained all the same, with the reason. Blocks as `fd` does. Errors: the file cannot be read,
// or the text cannot be written (Code::io).
Status explain(const std::string& path, int fd);

}  // namespace atmost::explain

#endif
