// One lock file: its descriptors, its identity, its guard, its header.
#ifndef ATMOST_STORE_LOCAL_LOCK_FILE_H
#define ATMOST_STORE_LOCAL_LOCK_FILE_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "hints.h"
#include "os/above.h"
#include "os/file.h"
#include "os/futex.h"
#include "os/locks.h"
#include "os/threads.h"
#include "os/waiting.h"

namespace atmost::local {

// The time to wait for the guard: it is held for a handful of system calls, so a process that keeps
// it longer has been stopped.
inline constexpr std::int64_t kGuardPatienceNs = 5'000'000'000;

// Locks out forks. A fork between the call that makes a descriptor and the assignment that keeps it
// would leave the child with an unknown descriptor.
class Opening {
 public:
  explicit Opening(os::Mutex* mutex) : mutex_(mutex) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening() {
    if (mutex_ != nullptr) mutex_->unlock();
  }

 private:
  os::Mutex* mutex_;
};

// The other processes that may get the open file description that holds the slots.
enum class Heirs : std::uint8_t {
  nobody,   // none but this one and, with --exec, the command that replaces it
  command,  // a command that is started with the descriptor, by a process that opens the file once
  forks,    // children that the program forks at any time, from any thread
};

// Not thread-safe; one per caller. Descriptors are close-on-exec. A descriptor that a program
// inherits has a number that scripts do not use (os::move_high).
//
// A lock of a description lasts until the last process that has the description ends, so whatever
// must end with this process is not locked on a description that another one has:
//
// nobody    one description for everything.
// command   one description, too; but the guard belongs to the process, as it is also taken while
//           the command has the description. All other locks but the slots and the mode byte are
//           unlocked before the command starts. The process has no other descriptor of the file:
//           closing one would drop the guard.
// forks     the file is opened twice: slots and the mode byte are locked on the description that
//           children inherit, slot_fd(); the guard and everything else is on fd(), which no other
//           process has. The second description is opened just before a slot is locked.
//
// In a PORTABLE build there is always one, because locks belong to the process, and closing either
// descriptor would drop them all.
class LockFile {
 public:
  enum class Access : std::uint8_t {
    // Read and write; made with request.create_mode if it does not exist. With request.looks_only,
    // a file that cannot be written is opened read only: then the guard is not locked, and slots
    // are only queried
    create,
    modify,      // read and write; must be there
    look,        // read only; must be there
    look_again,  // the same, and the directories above it were checked a moment ago
  };

  // Fails for anything but a regular file with one link, of a trusted owner, in a directory where
  // strangers cannot rename it, on a filesystem that keeps locks. A symbolic link is not followed.
  // If the file does not exist and Access does not create it, that is not an error, but present()
  // is false afterwards. Borrows the path of `spec` until the next open().
  Status open(const LockSpec& spec, const Request& rules, Access access);
  // True if the descriptors of an earlier open() can be used for this one, without any lock on
  // them: the path and the user are the same, and nothing about the file has changed that open()
  // examines. The directories are not examined again: if the path leads elsewhere by now, guard()
  // fails. A descriptor that the program around us has closed is given up, even if its number is in
  // use again. If so, the path of `spec` is borrowed from now on.
  bool serves(const LockSpec& spec, const Request& request);
  // True if unlock_all() leaves nothing locked, and a later close loses nothing. A file that
  // several users may write also has process-owned locks, which end with the close.
  bool may_stay_open() const { return shared_.open() && !several_may_write_; }
  // From now on the program around us runs while the descriptors are open: it may close them, and
  // open something else under their numbers. Each is examined before it is next used or closed.
  void expose();
  // Keeps the path in `room`, which is borrowed until the next open() or serves(): the spec that it
  // was borrowed from need not outlive the request.
  void keep_path(PathText& room);
  bool present() const { return fd_.open(); }
  // True if it certainly leads to another file or to none: false if the path cannot be examined at
  // the moment.
  bool displaced() const;
  void close();

  // Kept across open(). `forks`: `opening` is locked during every fork (os::keep_through_fork), and
  // while a descriptor is opened or closed here.
  void set_heirs(Heirs heirs, os::Mutex* opening = nullptr);
  // For a forked child, which must not keep the guard: closes the descriptors that it is, or may
  // be, locked on, if they still are ours. Async-signal-safe.
  void close_private();

  // foreign: another program has locked it.
  enum class Guarded : std::uint8_t { held, timeout, replaced, foreign };
  // The time for which a caller waits for one or several guards together.
  struct Patience {
    std::int64_t ns = kGuardPatienceNs;  // kForever: as long as it takes
    bool refuses_foreign = false;        // ends early beside a foreign lock: Guarded::foreign
    std::int64_t until_boot_ns = 0;      // set by the first attempt that has to wait
  };
  // Takes the guard, waiting at most for `patience`, checks that the path still leads here, and
  // reads the header. `replaced`: the file was deleted or replaced; the guard is not held, and the
  // file should be reopened.
  Result<Guarded> guard(Patience& patience);
  Result<Guarded> guard() {
    Patience patience;
    return guard(patience);
  }
  // The same for a process that has locked bytes of this file and will unlock them, wherever the
  // path leads by now: it is not examined. `replaced`: the program around us has closed them.
  Result<Guarded> guard_wherever();
  void unguard();
  // Unlocks every byte, the slots first and the guard last; may close the file for that, unless
  // `stays_open`. With thousands of holders each call walks them all.
  void unlock_all(bool stays_open = false);
  // Locks slot or mode bytes for writing on the description that heirs inherit. 0, EAGAIN, or
  // another errno value; ESTALE: the path leads to another file by now. For a file that can only be
  // read, finds out if they could be locked. REQUIRES: guarded.
  int lock_slots(os::Owner owner, os::Bytes bytes);
  // Gives the descriptor that a command will inherit a number that no script uses. REQUIRES:
  // guarded; the next unguard() ends that by a close, for one walk of all locks instead of two.
  void lend();
  // True if it has a limit of record (limit.h), by its mode when it was opened or guarded: its
  // sticky bit, which only its owner and root can change.
  bool has_limit() const { return has_limit_; }
  std::uint32_t owner() const { return file_user_; }
  // Changes that bit. 0 or an errno value.
  int mark_limit(bool on);
  // True if its mode let users other than its owner and root write it when it was opened.
  bool several_may_write() const { return several_may_write_; }

  // The way in which guard() and the queue may block; `alarm` by default. Kept across open().
  void set_blocking(os::Blocking blocking) { blocking_ = blocking; }
  os::Blocking blocking() const { return blocking_; }

  // Reads index and header without the guard, for listings: may be torn, then state() is damaged.
  Status refresh();

  // For data, and for all locks and queries except those of slots and the mode byte.
  int fd() const { return fd_.get(); }
  // For slots and the mode byte: a query on it does not report our own locks.
  int slot_fd() const { return shared_.open() ? shared_.get() : fd_.get(); }
  const char* path() const { return path_.c_str(); }
  // Its boot is known when the header was read.
  const Identity& identity() const { return identity_; }
  Header& header() { return header_; }
  const Header& header() const { return header_; }
  // Our user when it was opened.
  std::uint32_t user() const { return user_; }
  HeaderState state() const { return state_; }
  // True if the file existed and was empty when it was opened: it may belong to a user of flock(1).
  bool was_empty() const { return was_empty_; }
  // The highest slot in use according to the index; 0 when the index is absurd or does not exist
  // yet.
  std::uint32_t indexed_slots() const;
  // True if the index and header are of the running boot and this file, so that occupancy words
  // count.
  bool words_count() const {
    return state_ == HeaderState::good && header_.boot == identity_.boot && identity_.boot != 0 &&
           !identity_.across;
  }

  // Makes the index cover `slot`. REQUIRES: guarded.
  Status raise_index(std::uint32_t slot);
  // Writes the header back, unless the file can only be read; with `first`, the record of slot 1,
  // too, in the same call. REQUIRES: guarded.
  Status save_header(Record* first = nullptr);

  // The words that its waiters sleep on; null: there are none, because several machines use the
  // file or the system has no such words.
  const os::Bells* bells();
  // Before a process is started, as the mapping would keep the description, with its locks, alive;
  // and before the program around us goes on.
  void close_bells() { bells_.close(); }
  // True if we may sleep on one: a thread of a library may not, as signals have to reach it.
  bool may_sleep_on_bells() { return blocking_ == os::Blocking::alarm && bells() != nullptr; }

  // The error for a failed call on this file: "PATH: what: reason".
  Error failure(Code code, int sys, std::string_view what) const;

 private:
  Status open_path(const Request& rules, Access access);
  Status check_file(const Request& rules, Access access);
  unsigned mode_for_new(const Request& rules) const;
  Status check_filesystem(const Request& rules, int fd) const;
  Status check_parent_filesystem(const Request& rules) const;
  Status create(const Request& rules, int& error);
  Status check_directories() const;
  bool shares() const { return heirs_ == Heirs::forks && os::has_description_locks(); }
  os::Owner guard_owner() const {
    return heirs_ == Heirs::command ? os::Owner::process : os::Owner::description;
  }
  bool is_ours(os::Fd& fd);
  bool know_descriptors();
  bool is_unchanged(const struct stat& status) const;
  void close_own(os::Fd& fd);
  int keep_apart();
  int open_shared();
  int leads_here(bool& same, struct stat& status) const;
  Result<Guarded> lock_guard(Patience& patience);
  bool has_foreign_guard(const Patience& patience) const;
  Status unreadable(int sys) const;
  void ask_boot();
  Result<Guarded> check_name();
  Result<Guarded> read_guarded();

  os::Fd fd_;
  os::Fd low_;  // fd_ before it was lent, until the guard is given back
  os::Fd shared_;
  os::Bells bells_;
  Identity identity_;
  Header header_{};
  HeaderState state_ = HeaderState::fresh;
  std::uint64_t index_ = 0;
  bool guarded_ = false;
  bool exposed_ = false;    // expose()
  bool name_known_ = true;  // false: whether the file is as it was is to be seen by its path
  bool known_ = true;       // false: the descriptors were not examined since expose()
  std::int64_t mark_ = 0;   // on both descriptions (os::mark_descriptor); 0: none
  bool several_may_write_ = false;
  bool has_limit_ = false;
  bool only_stops_ = false;
  bool looks_ = false;     // opened to look (Access::look)
  bool has_boot_ = false;  // stamps of this format name their boot
  bool read_only_ = false;
  bool was_empty_ = false;
  bool trusted_blindly_ = false;  // --trust-fs
  std::uint32_t user_ = 0;        // our user when it was opened
  std::uint32_t file_user_ = 0;
  unsigned file_mode_ = 0;
  Heirs heirs_ = Heirs::nobody;
  os::Blocking blocking_ = os::Blocking::alarm;
  os::Mutex* opening_ = nullptr;
  TextView path_;  // since the first open()
};

// The directory part of a path; "." where it has none.
std::string_view parent_of(std::string_view path);

// True if the directories above a named lock are made; but not in a file system of several
// machines.
constexpr bool makes_parents(const Request& request) {
  return request.make_parents && !request.across;
}

// For users without rights in the directory of named locks: the remedy.
inline constexpr std::string_view kWhereElse =
    "; --dir or $ATMOST_DIR names a directory of your own, and atmost doctor --setup-group makes "
    "one "
    "for a group";

}  // namespace atmost::local

#endif
