// One lock file, opened once: its descriptor, its identity, its guard, its header.
#ifndef ATMOST_STORE_LOCAL_LOCK_FILE_H
#define ATMOST_STORE_LOCAL_LOCK_FILE_H

#include <cstdint>

#include "atmost/request.h"
#include "atmost/result.h"
#include "hints.h"
#include "os/fd.h"
#include "os/interrupt.h"

namespace atmost::local {

// How long the guard is waited for: it is held for a handful of system calls, so whoever keeps it longer is stopped.
inline constexpr std::int64_t kGuardPatienceNs = 5'000'000'000;

// Not thread-safe; one per caller. The descriptor is close-on-exec and out of the way of scripts' own (os::move_high).
// If the process dies, every lock taken through it ends with the last process that inherited the descriptor.
class LockFile {
 public:
  enum class Access : std::uint8_t {
    create,  // read and write; made with request.create_mode if it is not there
    modify,  // read and write; must be there
    look,    // read only; must be there
  };

  // Fails for anything but a regular file with one link, of a trusted owner, in a directory that strangers cannot
  // rename in, on a filesystem that keeps locks. A symbolic link is not followed. present() is false afterwards
  // when the file is not there and Access says it need not be made: that is not an error.
  Status open(const LockSpec& spec, const Request& request, Access access);
  bool present() const { return fd_.open(); }
  // Whether the path still leads to this file.
  bool in_place() const;
  void close() { fd_.reset(); }

  enum class Guarded : std::uint8_t { held, timeout, replaced };
  // Takes the guard, waiting at most until `boot_deadline_ns`, checks that the path still leads here, and reads the
  // header. `replaced`: the file was deleted or replaced; the guard is not held, and the file should be reopened.
  Result<Guarded> guard(std::int64_t boot_deadline_ns);
  void unguard();
  // The guard and every other byte at one stroke. With thousands of holders each call walks them all.
  void unlock_all();
  bool guarded() const { return guarded_; }

  // How guard() and the queue may block; alarm unless said otherwise. Kept across open().
  void set_blocking(os::Blocking blocking) { blocking_ = blocking; }
  os::Blocking blocking() const { return blocking_; }

  // Reads index and header without the guard, for listings: may be torn, then state() is damaged.
  Status refresh();

  int fd() const { return fd_.get(); }
  os::Fd& descriptor() { return fd_; }
  const char* path() const { return path_.c_str(); }
  const Identity& identity() const { return identity_; }
  Header& header() { return header_; }
  const Header& header() const { return header_; }
  HeaderState state() const { return state_; }
  // Highest slot that the index byte admits to be in use; 0 when the index is absurd or there is none yet.
  std::uint32_t indexed_slots() const;
  // The index and header say nothing false about the running boot: occupancy words count.
  bool words_count() const {
    return state_ == HeaderState::good && header_.boot == identity_.boot && identity_.boot != 0;
  }

  // Makes the index cover `slot`. REQUIRES: guarded.
  Status raise_index(std::uint32_t slot);
  // Writes the header back. REQUIRES: guarded.
  Status save_header();

  // The error for a failed call on this file: "PATH: what: reason".
  Error failure(Code code, int sys, std::string_view what) const;

 private:
  Status open_path(const Request& request, Access access);
  Status check_file(const Request& request, Access access);
  unsigned mode_for_new(const Request& request) const;
  Status check_filesystem(const Request& request, int fd) const;
  Status check_parent_filesystem(const Request& request) const;
  Status check_directory(const char* directory) const;
  Status check_directories() const;

  os::Fd fd_;
  Identity identity_;
  Header header_{};
  HeaderState state_ = HeaderState::fresh;
  std::uint64_t index_ = 0;
  bool guarded_ = false;
  os::Blocking blocking_ = os::Blocking::alarm;
  PathText path_;  // large, so last
};

// The code for an errno value met on a lock file: permission, creation or I/O.
Code code_for(int sys);

}  // namespace atmost::local

#endif
