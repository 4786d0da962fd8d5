// Can locks be trusted in a directory? Tried, not guessed.
#ifndef ATMOST_LIBEXEC_DOCTOR_DOCTOR_H
#define ATMOST_LIBEXEC_DOCTOR_DOCTOR_H

#include <string>

#include "core/result.h"
#include "diagnosis/findings.h"

namespace atmost::doctor {

// Tries it in a temporary file there, with real processes; what is bad means Code::io. Done within
// five seconds whatever the directory does: this process never touches it, a child does, which is
// left to itself when it does not come back. The file has a name for some milliseconds only; if
// everything is killed just then, a file .atmost-doctor-* stays behind, empty of meaning. Error
// (internal): no child can be made. REQUIRES: a single-threaded process.
Status diagnose(const std::string& directory, diagnosis::Findings& findings);

// Whether the log of locks that are given by a path can be written, or be made with its
// directories: the error if `log` is one. A warning at most. Leaves nothing behind.
void examine_log(const Result<std::string>& log, diagnosis::Findings& findings);

}  // namespace atmost::doctor

#endif
