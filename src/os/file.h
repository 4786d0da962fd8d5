// Files: descriptors, contents, names. Opening, reading and writing, so that nothing is followed,
// truncated, or torn by a signal. Functions return 0 or an errno value unless they say otherwise.
// None blocks on a FIFO or a device.
#ifndef ATMOST_OS_FILE_H
#define ATMOST_OS_FILE_H

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/text.h"

namespace atmost::os {

// A file descriptor with one owner.
// Move-only; closes on destruction. Close errors are not reported: close loses no data that was not
// lost before. Inherited by a forked child as any descriptor is, closed at exec when it was opened
// close-on-exec (all of ours are).
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

// Opening, reading and writing files so that nothing is followed, truncated, or torn by a signal.
// Functions return 0 or an errno value unless they say otherwise. None blocks on a FIFO or a
// device.

// Opens for reading and writing without creating: O_NOFOLLOW, O_CLOEXEC, O_NONBLOCK, O_NOCTTY,
// never 0, 1 or 2 (a closed standard stream is not taken). ELOOP: the last component is a symbolic
// link.
int open_existing(const char* path, Fd& to);
// The same for reading only.
int open_to_read(const char* path, Fd& to);
// Creates the file with exactly `mode`, whatever the umask. EEXIST if it is there.
int create_new(const char* path, unsigned mode, Fd& to);

int set_mode(int fd, unsigned mode);

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

// The names in a directory.
// Calls `visit` with every name but "." and "..", in no order; the view is valid during the call
// only. Returns 0 or an errno value; some names may have been visited before an error. No heap on
// Linux.
int visit_names(const char* path, void (*visit)(void* context, std::string_view name),
                void* context);

// Symbolic links as texts under names. All functions act on the links themselves, never on their
// targets. Functions return 0 or an errno value.

// One step that either makes the name or finds it taken (EEXIST).
int make_link(const char* text, const char* path);
// EINVAL: not a symbolic link. ENAMETOOLONG: more text than fits.
int read_link(const char* path, PathText& to);
// Moves to a name that must be free (EEXIST), on every filesystem: where it cannot be done in one
// step, both names exist for a moment.
int move_to_free_name(const char* from, const char* to);
// Both names exist, and change places in one step (ENOENT: one does not exist). ENOTSUP: this
// filesystem or this kernel cannot do that; nothing happened.
int exchange_names(const char* one, const char* other);

// A file without a name, that ends with the last process that has it open. Functions return 0 or an
// errno value. PORTABLE: such files cannot give room back, and open_unnamed() returns ENOSYS.

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
