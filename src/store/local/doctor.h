// Can locks be trusted in a directory? Tried, not guessed.
#ifndef ATMOST_STORE_LOCAL_DOCTOR_H
#define ATMOST_STORE_LOCAL_DOCTOR_H

#include <string_view>

#include "core/result.h"

namespace atmost::local {

// Tries it in a temporary file there, with real processes, and writes what it found to `fd`: one
// line (or one JSON object) for each finding, the verdict last. True for yes. Answers within five
// seconds whatever the directory does: this process never touches it, a child does, which is left
// to itself when it does not come back. The file has a name for some milliseconds only; if
// everything is killed just then, a file .atmost-doctor-* stays behind, empty of meaning. Errors:
// no child can be made, or the text cannot be written (Code::io).
Result<bool> diagnose(std::string_view directory, int fd, bool json);

}  // namespace atmost::local

#endif
