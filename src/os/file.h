// Opening, reading and writing files so that nothing is followed, truncated, or torn by a signal.
// Functions return 0 or an errno value unless they say otherwise. None blocks on a FIFO or a
// device.
#ifndef ATMOST_OS_FILE_H
#define ATMOST_OS_FILE_H

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>

#include "core/text.h"
#include "fd.h"

namespace atmost::os {

// Opens for reading and writing without creating: O_NOFOLLOW, O_CLOEXEC, O_NONBLOCK, O_NOCTTY,
// never 0, 1 or 2 (a closed standard stream is not taken). ELOOP: the last component is a symbolic
// link.
int open_existing(const char* path, Fd& to);
// The same for reading only.
int open_to_read(const char* path, Fd& to);
// Creates the file with exactly `mode`, whatever the umask. EEXIST if it is there.
int create_new(const char* path, unsigned mode, Fd& to);

// Reads up to `size` bytes at `at`; `got` is the number of those before the end of the file.
// Retries on EINTR.
int read_at(int fd, void* to, std::size_t size, std::int64_t at, std::size_t& got);
// Writes all `size` bytes at `at`. Short writes are continued; ENOSPC, EFBIG, EIO come back as they
// are.
int write_at(int fd, const void* from, std::size_t size, std::int64_t at);
// Writes all to a stream (pipe, terminal, file). EAGAIN is waited out. EPIPE needs SIGPIPE ignored.
int write_all(int fd, const void* from, std::size_t size);

// The same two for a file that is only appended to, by many at once: each append() goes to the end
// of that moment.
int open_to_append(const char* path, Fd& to);
int create_to_append(const char* path, unsigned mode, Fd& to);
// One write(2) of all bytes: on a local filesystem no other process's bytes land between them.
// EINTR is retried while nothing is written; `done` is less than `size` when the write was cut
// short (full disk, SIGKILL on its way). REQUIRES: the file is far from the limit of
// beyond_limit(): at it, a write ends the process.
int append(int fd, const void* from, std::size_t size, std::size_t& done);
// Returns when every write to the file that had begun has ended, because a file's size grows during
// a write. It sets the file's times to now; the kernel does that only when no write is under way.
int await_writes(int fd);
// True if a file of `size` bytes is larger than this process may make one (RLIMIT_FSIZE as it was
// at the first call).
bool beyond_limit(std::int64_t size);

// Replaces `to` if it exists.
int rename_file(const char* from, const char* to);

// Returns when the file's bytes are on the disk.
int sync_data(int fd);

// True if `path` still leads to the file behind `fd`; ENOENT counts as no. errno values other than
// that come back.
int same_file(int fd, const char* path, bool& same);
int file_status(int fd, struct stat& to);
// True if the name exists; a symbolic link is not followed.
bool exists(const char* path);
// True if there is no such name. Both are false if that cannot be found out.
bool is_missing(const char* path);
int path_status(const char* path, struct stat& to, bool follow);
// The same without the times: see platform::status(). A symbolic link is not followed.
int file_status_untimed(int fd, struct stat& to);
int path_status_untimed(const char* path, struct stat& to);

// Creates one directory. EEXIST if anything has the name.
int make_directory(const char* path, unsigned mode);

// Opens a directory to ask about it.
int open_directory(const char* path, Fd& to);
// Removes a name; processes that have the file open keep it.
int remove_name(const char* path);
// The kernel's path of the file behind `fd`: no links, no dots. ENOSYS where it does not say.
int descriptor_path(int fd, PathText& to);

// The space that a filesystem has for this process.
struct Room {
  std::uint64_t free_bytes = 0;
  // A lower bound: some filesystems create inodes as needed
  std::uint64_t free_files = 0;
  bool counts_files = false;
  bool read_only = false;
};
int room_left(int fd, Room& to);

// Moves the descriptor to a number no script uses by hand (200 or above, else the next free one);
// close-on-exec stays.
int move_high(Fd& fd);
// Makes `fd` a duplicate with such a number, and leaves its old descriptor, which stays open, to
// `old`.
int copy_high(Fd& fd, Fd& old);
// A pipe, both ends close-on-exec and none below `lowest`: 3 is above the standard streams, which
// may be closed.
int open_pipe(Fd& read_end, Fd& write_end, int lowest = 3);
// Lets an exec'd command inherit the descriptor.
int make_inheritable(int fd);
// The same, under such a number as move_high() gives, if it has none: then the command inherits a
// duplicate. For a child that is about to exec.
int lend_high(int fd);

// Opens a placeholder for each standard stream that is closed. Reads and writes fail on it as on a
// closed one; it is closed at exec, and its number is not given to files opened later.
void keep_standard_streams();

// Network, stacked and user-space filesystems do not keep byte locks well enough:
// docs/internals/lock-map.md, "What the kernel does", lists the trusted ones.
enum class Trust { trusted, refused, unknown };
Trust filesystem_trust(int fd, const char** name);

}  // namespace atmost::os

#endif
