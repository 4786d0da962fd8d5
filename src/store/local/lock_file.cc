#include "lock_file.h"

#include <cerrno>

#include "core/words.h"
#include "nfs_mount.h"
#include "os/above.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "os/waiting.h"

namespace atmost::local {
namespace {

constexpr std::uint32_t kRoot = 0;

// For users who cannot open a lock file: the way in which its creator could have shared it.
constexpr std::string_view kHowToShare =
    "; its creator can share it with --mode 660 or 666 (lock_unlock: mode=666 or "
    "LOCK_UNLOCK_MODE=666)";

// The areas that the original and atmost write are zero or in our format; other data means another
// program's file.
constexpr std::string_view kAlien =
    "not a lock file, or cut short (it holds other data, which was left alone); name a file that "
    "does not "
    "exist yet, or "
    "remove this one if nobody needs it";

}  // namespace

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string_view{path.data(), slash};
}

Error LockFile::failure(Code code, int sys, std::string_view what) const {
  Error error = error_of(code, sys, path_);
  error.message.append(": ").append(what);
  if (sys != 0) error.message.append(": ").append(errno_words(sys));
  return error;
}

Status LockFile::open(const LockSpec& spec, const Request& rules, Access access) {
  path_ = spec.path;
  guarded_ = was_empty_ = false;
  name_known_ = known_ = true;
  state_ = HeaderState::fresh;
  if (Status opened = open_path(rules, access); !opened.ok() || !fd_.open()) return opened;
  if (Status checked = check_file(rules, access); !checked.ok()) {
    close();
    return checked;
  }
  return {};
}

Status LockFile::open_path(const Request& rules, Access access) {
  only_stops_ = rules.only_stops;
  looks_ = access == Access::look || access == Access::look_again;
  // Tries again when the file appears or vanishes between the two attempts. A race that is lost
  // three times in a row is caused on purpose.
  for (int attempt = 0; attempt < 3; ++attempt) {
    int error = 0;
    {
      const Opening gate(opening_);
      read_only_ = looks_;
      if (!read_only_) error = os::open_existing(path(), fd_);
      if (rules.looks_only && (error == EROFS || error == EACCES || error == EPERM))
        read_only_ = true;
      if (read_only_) error = os::open_to_read(path(), fd_);
    }
    if (error == 0) {
      was_empty_ = true;  // until check_file() has seen its size
      return {};
    }
    if (error == ENOENT && access != Access::create) return {};
    if (error != ENOENT) {
      if (error == ELOOP)
        return failure(Code::io, 0,
                       "is a symbolic link, which is not followed; name the file itself");
      if (error == EISDIR) return failure(Code::io, 0, "is a directory; name a file in it");
      if (error == ENXIO) return failure(Code::io, 0, "is not a regular file");
      Error failed = failure(code_for(error), error, "cannot open the lock file");
      if (error == EACCES && !looks_ && os::exists(path())) failed.message.append(kHowToShare);
      if (error == EACCES && makes_parents(rules)) failed.message.append(kWhereElse);
      return failed;
    }
    Status made = create(rules, error);
    if (!made.ok() || error == 0) return made;
  }
  return failure(Code::io, 0, "appears and vanishes again and again");
}

Status LockFile::check_file(const Request& rules, Access access) {
  struct stat status;
  if (const int error = os::file_status(fd_.get(), status))
    return failure(Code::io, error, "cannot examine the file");
  if (!S_ISREG(status.st_mode)) return failure(Code::io, 0, "is not a regular file");
  was_empty_ = was_empty_ && status.st_size == 0;
  if (status.st_nlink > 1) {
    Error linked =
        failure(Code::io, 0, "has other hard links; name a file with only one name (find ");
    linked.message.append(parent_of(path_)).append(" -xdev -samefile ").append(path_);
    linked.message.append(" shows those in that directory)");
    return linked;
  }
  const std::uint32_t user = os::user_id();
  const bool shared_on_purpose = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  several_may_write_ = shared_on_purpose;
  has_limit_ = (status.st_mode & S_ISVTX) != 0;
  trusted_blindly_ = rules.trust_fs;
  user_ = user;
  file_user_ = status.st_uid;
  file_mode_ = status.st_mode;
  const bool only_looked_at = user == kRoot && (read_only_ || only_stops_);
  if (status.st_uid != user && status.st_uid != kRoot && !shared_on_purpose && !only_looked_at) {
    Error unshared = failure(Code::not_permitted, 0,
                             "belongs to another user and is not shared (mode g+w or o+w)");
    unshared.message.append(makes_parents(rules) ? kWhereElse : kHowToShare);
    return unshared;
  }
  if (access != Access::look_again) {
    if (Status directories = check_directories(); !directories.ok()) return directories;
  }
  if (Status trusted = check_filesystem(rules, fd_.get()); !trusted.ok()) return trusted;
  // A caller that only looks closes it before any command could use its number.
  if (const int error = looks_ ? 0 : keep_apart())
    return failure(Code::io, error, "cannot duplicate the descriptor");
  identity_ = {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
               0, rules.across};
  has_boot_ = !rules.foreign_format;
  return {};
}

namespace {

void append_nfs(const NfsMount& mount, Error& error) {
  if (!mount.version.empty()) error.message.push(' ').append(mount.version.view());
  error.message.append(") cannot be trusted: ").append(reason_against(mount.fault));
  if (is_cured_by_options(mount.fault)) error.message.append("; -o vers=4.2,hard is better");
}

}  // namespace

Status LockFile::check_filesystem(const Request& rules, int fd) const {
  const char* name = "";
  if (rules.trust_fs && !rules.with_flock) return {};
  if (os::filesystem_trust(fd, &name) == os::Trust::trusted) return {};
  if (rules.with_flock) {  // NFS makes it a lock on all bytes, which excludes our own
    Error error = failure(Code::usage, 0, "--with-flock: flock(2) on this filesystem (");
    error.message.append(name).append(") may not be apart from byte locks: leave it out");
    return error;
  }
  Error error = failure(Code::io, 0, "locks on this filesystem (");
  error.message.append(name);
  if (name == std::string_view("nfs")) {
    append_nfs(nfs_mount_of(fd), error);
  } else {
    error.message.append(") cannot be trusted");
  }
  if (name == std::string_view("nfs") && nfs_mount_of(fd).fault == NfsFault::none) {
    error.sys = EREMOTE;  // the caller may use the store of such directories
    error.message.append("; use atmost run, which stops the command in time");
    return error;
  }
  error.message.append("; see atmost doctor ").append(parent_of(path_));
  error.message.append(", or say --trust-fs");
  return error;
}

Status LockFile::check_directories() const {
  const os::Standard standard =
      read_only_ || only_stops_ ? os::Standard::any_user : os::own_standard();
  ScopedArena texts;
  TextView which;
  Hazard hazard = Hazard::none;
  if (const int error = os::find_hazard(path(), standard, hazard, texts, which))
    return failure(code_for(error), error, "cannot examine a directory above it");
  if (hazard == Hazard::none) return {};
  Error error = failure(Code::not_permitted, 0, "");
  append_hazard(error.message, hazard, which);
  return error;
}

Status LockFile::unreadable(int sys) const {
  if (sys != 0) return failure(Code::io, sys, "cannot read the lock file");
  if (state_ == HeaderState::alien) return failure(Code::io, 0, kAlien);
  if (header_.version == __builtin_bswap32(kFormatVersion))
    return failure(Code::io, 0,
                   "was written on a machine of another byte order, which shares no lock files "
                   "with this one; name another file");
  Error error = failure(Code::io, 0, "was written by a newer atmost (format ");
  error.message.append_unsigned(header_.version).append("); this one knows format 1");
  return error;
}

// After the header is read: it may spare a part of the question.
void LockFile::ask_boot() {
  if (!has_boot_ || identity_.boot != 0) return;
  const StampData& last = header_.start;
  identity_.boot = os::boot_hash(last.boot, static_cast<std::uint64_t>(last.real_ns) -
                                                static_cast<std::uint64_t>(last.boot_ns));
}

Status LockFile::refresh() {
  const int error = read_header(fd(), identity_, index_, header_, state_);
  ask_boot();
  if (error != 0 || state_ == HeaderState::newer || state_ == HeaderState::alien)
    return unreadable(error);
  // A stored admission that cannot be read must not let a caller run early (fail closed). It is
  // replaced by a moment in the far future, which refuses, is reported, and is set to the present
  // by the first caller; until then, saving keeps it.
  constexpr StampData kUnreadable = {Duration::kForever / 2, 0, 0};
  if (state_ == HeaderState::damaged)
    header_.start = header_.finish = header_.success = header_.unknown_before = kUnreadable;
  return {};
}

std::uint32_t LockFile::indexed_slots() const {
  const std::uint64_t index = plausible_index(index_);
  return index == 0 ? 0 : slot_of(static_cast<std::int64_t>(index));
}

Status LockFile::raise_index(std::uint32_t slot) {
  const auto wanted = static_cast<std::uint64_t>(slot_byte(slot));
  if (plausible_index(index_) != 0 && index_ >= wanted) return {};
  if (const int error = os::write_at(fd(), &wanted, sizeof wanted, kIndexAt))
    return failure(Code::io, error, "cannot write the lock file");
  index_ = wanted;
  return {};
}

Status LockFile::save_header(Record* first) {
  // The header names the boot and file that the words belong to. Words of another boot, or of the
  // file that this one was copied from, may say "alive" for ever: no process is left whose death
  // would clear them.
  if (read_only_) return {};
  if (!words_count() && !identity_.across) {
    if (const int error = clear_words(fd()))
      return failure(Code::io, error, "cannot write the lock file");
  }
  if (const int error = write_header(fd(), identity_, header_, first)) {
    return failure(Code::io, error, "cannot write the lock file");
  }
  // The mark shows that the file had a header, should that be wiped.
  if (state_ != HeaderState::good) (void)os::write_at(fd(), kMagic, sizeof kMagic, kMarkAt);
  state_ = HeaderState::good;
  return {};
}

}  // namespace atmost::local
