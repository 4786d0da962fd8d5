// One lock file: its descriptors, its identity, its guard, its header.
#ifndef ATMOST_STORE_LOCAL_LOCK_FILE_H
#define ATMOST_STORE_LOCAL_LOCK_FILE_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "hints.h"
#include "os/fd.h"
#include "os/interrupt.h"
#include "os/threads.h"

namespace atmost::local {

// How long the guard is waited for: it is held for a handful of system calls, so whoever keeps it
// longer is stopped.
inline constexpr std::int64_t kGuardPatienceNs = 5'000'000'000;

// A fork between the call that makes a descriptor and the line that keeps it would leave the child
// one that it does not know of.
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

// Who else may come to have the open file description that holds the slots.
enum class Heirs : std::uint8_t {
  nobody,   // no process but this one and, by --exec, what it becomes
  command,  // a command that is started with the descriptor
  forks,    // children that the program forks whenever it likes, from any thread
};

// What a request says about opening its files.
struct OpenRules {
  OpenRules() = default;
  // Not explicit on purpose: a request is such rules and more.
  OpenRules(const Request& request)
      : create_mode(request.create_mode),
        mode_given(request.mode_given),
        make_parents(request.make_parents),
        trust_fs(request.trust_fs),
        looks_only(request.looks_only),
        only_stops(request.only_stops),
        with_flock(request.with_flock),
        foreign_format(request.foreign_format) {}

  unsigned create_mode = 0600;
  bool mode_given = false;
  bool make_parents = false;
  bool trust_fs = false;
  bool looks_only = false;
  bool only_stops = false;
  bool with_flock = false;
  bool foreign_format = false;
  bool directories_known = false;  // those above it were checked a moment ago
};

// For who only looks: that grants nothing, so any filesystem is good enough.
inline constexpr OpenRules kLooking = [] {
  OpenRules rules;
  rules.trust_fs = true;
  return rules;
}();

// Not thread-safe; one per caller. Descriptors are close-on-exec; one that a command may inherit is
// out of the way of scripts' own (os::move_high).
//
// A lock of a description lasts until the last process that has it ends. So where there are heirs
// the file is opened twice: slots and the mode byte sit on the description that they inherit,
// slot_fd(); the guard and all else that must end with this process sits on fd(), which nobody else
// ever has. The second is opened when a slot is about to be locked and not before: a refusal needs
// one. With nobody to inherit both are the same, and so in a PORTABLE build, where locks belong to
// the process and closing either descriptor would drop them all.
class LockFile {
 public:
  enum class Access : std::uint8_t {
    // Read and write; made with request.create_mode if it is not there. With request.looks_only,
    // read only where it cannot be written: then the guard is not locked, and a slot is only asked
    // for
    create,
    modify,  // read and write; must be there
    look,    // read only; must be there
  };

  // Fails for anything but a regular file with one link, of a trusted owner, in a directory that
  // strangers cannot rename in, on a filesystem that keeps locks. A symbolic link is not followed.
  // present() is false afterwards when the file is not there and Access says it need not be made:
  // that is not an error.
  Status open(const LockSpec& spec, const OpenRules& rules, Access access);
  // Whether what an earlier open() left open serves this one, with no lock on it: the same path and
  // user, and nothing about the file has changed that open() examines. The directories are not
  // examined again: if the path leads elsewhere by now, guard() says so. A descriptor that the
  // program around us has closed is given up, whatever has its number now.
  bool serves(const LockSpec& spec, const Request& request);
  // Whether nothing remains locked, and nothing is lost by a later close, once unlock_all() was
  // called. What several users may write has process-owned locks, too, which end with the close.
  bool may_stay_open() const { return shared_.open() && !several_may_write_; }
  bool present() const { return fd_.open(); }
  // Whether the path still leads to this file.
  bool in_place() const;
  // Whether it surely leads to another file or to none: a path that cannot be examined just now
  // tells neither.
  bool displaced() const;
  void close();

  // Kept across open(). `forks`: `opening` is locked by whoever forks (os::keep_through_fork), and
  // while a descriptor is opened or closed here.
  void set_heirs(Heirs heirs, os::Mutex* opening = nullptr);
  // For a forked child that is no heir of the guard: closes fd(). Async-signal-safe.
  void close_private();

  enum class Guarded : std::uint8_t { held, timeout, replaced };
  // How long a caller waits for one or several guards together; counts from the first that is
  // taken: an uncontended one asks no clock.
  class Patience {
   public:
    explicit Patience(std::int64_t ns = kGuardPatienceNs) : ns_(ns) {}
    std::int64_t until_boot_ns();

   private:
    std::int64_t ns_;  // kForever: as long as it takes
    std::int64_t until_ = 0;
  };
  // Takes the guard, waiting at most as long as `patience` says, checks that the path still leads
  // here, and reads the header. `replaced`: the file was deleted or replaced; the guard is not
  // held, and the file should be reopened.
  Result<Guarded> guard(Patience& patience);
  Result<Guarded> guard() {
    Patience patience;
    return guard(patience);
  }
  void unguard();
  // Every byte, the slots first and the guard last. With thousands of holders each call walks them
  // all.
  void unlock_all();
  // Locks slot or mode bytes for writing where heirs will find them. 0, EAGAIN, or another errno
  // value; ESTALE: the path leads to another file by now. Of a file that can only be read: whether
  // they could be. REQUIRES: guarded.
  int lock_slots(os::Owner owner, os::Bytes bytes);
  // The next lock_slots() will open a second descriptor: a query first spares a refusal that.
  bool opens_for_slots() const { return shares() && !shared_.open(); }
  bool guarded() const { return guarded_; }
  // Whether its mode let more users than its owner and root write it when it was opened.
  bool several_may_write() const { return several_may_write_; }

  // How guard() and the queue may block; alarm unless said otherwise. Kept across open().
  void set_blocking(os::Blocking blocking) { blocking_ = blocking; }
  os::Blocking blocking() const { return blocking_; }

  // Reads index and header without the guard, for listings: may be torn, then state() is damaged.
  Status refresh();

  // For data, and for every lock and query but those of slots and the mode byte.
  int fd() const { return fd_.get(); }
  // For slots and the mode byte: a query by it does not report our own.
  int slot_fd() const { return shared_.open() ? shared_.get() : fd_.get(); }
  const char* path() const { return path_.c_str(); }
  const Identity& identity() const { return identity_; }
  Header& header() { return header_; }
  const Header& header() const { return header_; }
  HeaderState state() const { return state_; }
  // Whether the file was there, and empty, when it was opened: a flock(1) user's may be.
  bool was_empty() const { return was_empty_; }
  // Highest slot that the index byte admits to be in use; 0 when the index is absurd or there is
  // none yet.
  std::uint32_t indexed_slots() const;
  // The index and header say nothing false about the running boot: occupancy words count.
  bool words_count() const {
    return state_ == HeaderState::good && header_.boot == identity_.boot && identity_.boot != 0;
  }

  // Makes the index cover `slot`. REQUIRES: guarded.
  Status raise_index(std::uint32_t slot);
  // Writes the header back, unless the file can only be read. REQUIRES: guarded.
  Status save_header();

  // The error for a failed call on this file: "PATH: what: reason".
  Error failure(Code code, int sys, std::string_view what) const;

 private:
  Status open_path(const OpenRules& rules, Access access);
  Status check_file(const OpenRules& rules);
  unsigned mode_for_new(const OpenRules& rules) const;
  Status check_filesystem(const OpenRules& rules, int fd) const;
  Status check_parent_filesystem(const OpenRules& rules) const;
  Status check_directory(const char* directory, bool root_is_admitted) const;
  Status create(const OpenRules& rules, int& error);
  Status check_directories() const;
  template <std::size_t N>
  Status check_directories_in() const;
  bool shares() const { return heirs_ != Heirs::nobody && os::has_description_locks(); }
  bool is_same(os::Fd& fd, const Request& request);
  int keep_apart();
  int open_shared();
  int leads_here(bool& same) const;

  os::Fd fd_;
  os::Fd shared_;
  Identity identity_;
  Header header_{};
  HeaderState state_ = HeaderState::fresh;
  std::uint64_t index_ = 0;
  bool guarded_ = false;
  bool several_may_write_ = false;
  bool only_stops_ = false;
  bool looks_ = false;  // opened to look (Access::look)
  bool read_only_ = false;
  bool was_empty_ = false;
  bool trusted_blindly_ = false;  // --trust-fs
  std::uint32_t user_ = 0;        // we, when it was opened
  std::uint32_t file_user_ = 0;
  unsigned file_mode_ = 0;
  Heirs heirs_ = Heirs::nobody;
  os::Blocking blocking_ = os::Blocking::alarm;
  os::Mutex* opening_ = nullptr;
  PathText path_;  // large, so last
};

// The directory part of a path; "." where it has none.
std::string_view parent_of(const PathText& path);

// The code for an errno value met on a lock file: permission, creation or I/O.
Code code_for(int sys);

}  // namespace atmost::local

#endif
