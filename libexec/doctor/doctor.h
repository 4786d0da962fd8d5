// Finds out by trials if locks can be trusted in a directory.
#ifndef ATMOST_LIBEXEC_DOCTOR_DOCTOR_H
#define ATMOST_LIBEXEC_DOCTOR_DOCTOR_H

#include <string>

#include "core/result.h"
#include "diagnosis/findings.h"

namespace atmost::doctor {

// Tries locks in a temporary file there, with real processes; a finding of level fail means
// Code::io. Returns within five seconds whatever the directory does: only a child touches the
// directory, and if it hangs it is left behind. The file has a name for some milliseconds only; if
// all processes are killed just then, a file .atmost-doctor-* is left, which may be removed. Error
// (internal): no child can be made. REQUIRES: a single-threaded process.
Status diagnose(const std::string& directory, diagnosis::Findings& findings);

// Tests if the log of locks that are given by a path can be written, or be created with its
// directories; if `log` is an error, that is the finding. The finding is at most a warning. Leaves
// nothing behind.
void examine_log(const Result<std::string>& log, diagnosis::Findings& findings);

}  // namespace atmost::doctor

#endif
