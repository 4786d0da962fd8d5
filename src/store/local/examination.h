// The doctor's child: everything that touches the directory. It may hang anywhere; nobody waits for
// it.
#ifndef ATMOST_STORE_LOCAL_EXAMINATION_H
#define ATMOST_STORE_LOCAL_EXAMINATION_H

#include "core/text.h"
#include "os/fd.h"

namespace atmost::local {

struct Examination {
  PathText directory;
};

// Runs in an os::Child; `context` is an Examination. Sends findings (findings.h).
void examine(void* context);

// Parts of it.

// The temporary file, and where it is.
struct TrialFile {
  PathText path;
  os::Fd fd;
};

void examine_machine();
void examine_mount(const PathText& directory, int directory_fd);
// Lock files in the directory that somebody holds a flock(2) on, and files that could become one.
void examine_flocks(const PathText& directory);
// Lock files in the directory that others than their owner may read, and so lock.
void examine_readers(const PathText& directory);
// Only with a file there: whether it can be reached by another path, under which its locks are not
// seen.
void examine_layers(const TrialFile& file, int directory_fd);

// With two processes and more. Removes the file's name as soon as nobody needs it any more
// (`removed` then), and closes the file.
void try_locks(TrialFile& file, bool& removed);

}  // namespace atmost::local

#endif
