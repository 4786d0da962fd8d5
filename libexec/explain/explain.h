// The lock file in words, for `atmost explain`: which processes hold what, and what is wrong; in
// detail, every byte range, and every hint and whether it counts.
#ifndef ATMOST_LIBEXEC_EXPLAIN_EXPLAIN_H
#define ATMOST_LIBEXEC_EXPLAIN_EXPLAIN_H

#include <string>

#include "core/result.h"

namespace atmost::explain {

// `path`: of the lock file. Needs only the right to read the file, changes nothing and takes no
// lock; so changes by other processes meanwhile may look like contradictions. A file that `run`
// would refuse is explained, too, with the reason. Blocks as `fd` does. Errors: the file cannot be
// read, or the text cannot be written (Code::io).
Status explain(const std::string& path, bool detailed, int fd);

}  // namespace atmost::explain

#endif
