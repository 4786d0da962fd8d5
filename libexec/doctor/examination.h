// The doctor's child does everything that touches the directory. It may hang anywhere; the parent
// does not wait for it.
#ifndef ATMOST_LIBEXEC_DOCTOR_EXAMINATION_H
#define ATMOST_LIBEXEC_DOCTOR_EXAMINATION_H

#include <string>
#include <vector>

#include "os/file.h"

namespace atmost::doctor {

struct Examination {
  std::string directory;
};

// Runs in an os::Child; `context` is an Examination. Sends messages (message.h).
void examine(void* context);

// Parts of it.

// The temporary file, and where it is.
struct TrialFile {
  std::string path;
  os::Fd fd;
  bool written = false;  // false: there is no room, so that trials which write show nothing
};

void examine_machine();
void examine_mount(const std::string& directory, int directory_fd);
// Lock files in the directory that a process holds a flock(2) on, and files that could become one.
void examine_flocks(const std::string& directory);
// Lock files in the directory that users other than their owner may read, and so lock.
void examine_readers(const std::string& directory);
// Tests if a file there can be reached by another path, through which its locks are not seen.
// REQUIRES: a file.
void examine_layers(const TrialFile& file, int directory_fd);

// Tries locks with two or more processes. Removes the file's name as soon as it is no longer needed
// (`removed` then), and closes the file.
void try_locks(TrialFile& file, bool& removed);

// The names in a directory; none where they cannot be read.
std::vector<std::string> names_in(const std::string& directory);
// True if a lock file of ours is there, or with `could_be` a file that could become one. Its
// filesystem is judged by examine_mount.
bool is_lock_file(const std::string& path, bool could_be);

}  // namespace atmost::doctor

#endif
