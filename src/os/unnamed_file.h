// A file without a name, that ends with the last process that has it open. Functions return 0 or an
// errno value. PORTABLE: such files cannot give room back, and open_unnamed() returns ENOSYS.
#ifndef ATMOST_OS_UNNAMED_FILE_H
#define ATMOST_OS_UNNAMED_FILE_H

#include <cstdint>

#include "fd.h"

namespace atmost::os {

// Opens a new file in `directory`, of mode 0600, for reading and for appending (O_APPEND),
// close-on-exec. EOPNOTSUPP: that filesystem cannot free the middle of a file.
// ENOSPC, EDQUOT: it has no room for 64 KiB.
int open_unnamed(const char* directory, Fd& to);

// Frees the blocks from `from` (a multiple of the block size) up to `to`; the file then reads as
// zeros there, and keeps its size. Other processes may write meanwhile. Some filesystems write
// those blocks to the disk first, and this blocks as long as that takes.
int free_blocks(int fd, std::int64_t from, std::int64_t to);

// True if 64 KiB more could be written at the end of the file now.
int has_room(int fd);

// Opens the same file for reading only, close-on-exec.
int open_reader(const Fd& file, Fd& to);

// True if a process besides this one has the file open for writing, as far as can be seen. `fd` is
// the only descriptor of this process for the file; it is opened anew, unless there are none.
bool has_other_writers(Fd& fd);

}  // namespace atmost::os

#endif
