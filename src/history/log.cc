#include "log.h"

#include <cerrno>
#include <span>

#include "core/words.h"
#include "os/above.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/room.h"
#include "os/self.h"

namespace atmost::history {
namespace {

constexpr std::uint32_t kRoot = 0;

// Locked by the process that renames the file; writers do not need it. It lies beyond any data.
constexpr os::Bytes kRotation = {std::int64_t{1} << 62, 1};

// We stay so far below RLIMIT_FSIZE that even this many bytes, appended by others between our check
// and our write, do not reach it: SIGXFSZ would end this process and the job with it.
constexpr std::int64_t kLimitMargin = 65536;

// The number of times that the file may be replaced during an append before we give up. Each time
// needs a whole generation of others' events between two of our system calls.
constexpr int kTries = 8;

}  // namespace

Error Log::failure(Code code, int sys, std::string_view what) const {
  Error error = error_of(code, sys, "history ");
  error.message.append(place_.path).append(": ").append(what);
  if (sys != 0) error.message.append(": ").append(errno_words(sys));
  return error;
}

// Most lines are short. One byte before a line is for a newline, in case the file does not end in
// one.
Status Log::append(const EventValues& event) {
  if (nowhere_) return {};
  if (place_.among_others) now_boot_ns_ = os::boot_ns();
  char line[1 + 3072];
  const Line all = format_line(event, {line + 1, sizeof line - 1});
  if (!all.cut) return append_text(line, all.size);
  struct LongLine {
    char bytes[1 + kMaxLine];
  };
  const os::RoomFor<LongLine> room;
  if (room.get() == nullptr) return append_text(line, all.size);
  const std::span<char> whole(room.get()->bytes);
  return append_text(whole.data(), format_line(event, whole.subspan(1)).size);
}

Status Log::append_text(char* line, std::size_t size) {
  for (int i = 0; i < kTries; ++i) {
    bool there = false;
    if (Status looked = still_there(there); !looked.ok()) return looked;
    if (!there) {
      if (Status opened = open(); !opened.ok()) return nowhere_ ? Status{} : opened;
    }
    bool kept = false;
    if (Status written = write(line, size, kept); !written.ok()) return written;
    if (kept) return {};
    fd_.reset();
  }
  return failure(Code::io, 0, "is replaced again and again");
}

// Two rotations within this time would need more than a disk writes; what a smaller file would need
// is not relied on.
bool Log::just_looked() const {
  return looked_boot_ns_ != 0 && place_.cap >= kDefaultCap &&
         now_boot_ns_ - looked_boot_ns_ < kLookNs;
}

bool Log::still_ours(struct stat& status) const {
  return os::file_status_untimed(fd_.get(), status) == 0 &&
         static_cast<std::uint64_t>(status.st_dev) == device_ &&
         static_cast<std::uint64_t>(status.st_ino) == inode_;
}

void Log::close() {
  nowhere_ = false;
  if (!fd_.open()) return;
  struct stat status;
  if (place_.among_others && !still_ours(status)) {
    (void)fd_.release();
  } else {
    fd_.reset();
  }
}

Status Log::still_there(bool& there) {
  there = false;
  struct stat status;
  if (fd_.open() && place_.among_others) {
    if (!still_ours(status)) {
      (void)fd_.release();
    } else if (just_looked() && status.st_nlink > 0) {
      there = true;
      size_ = status.st_size;
    }
  }
  if (there || !fd_.open()) return {};
  const int error = os::path_status_untimed(place_.path.c_str(), status);
  if (error != 0 && error != ENOENT)
    return failure(code_for(error), error, "cannot examine the file");
  there = error == 0 && static_cast<std::uint64_t>(status.st_dev) == device_ &&
          static_cast<std::uint64_t>(status.st_ino) == inode_;
  if (!there) return {};
  size_ = status.st_size;
  if (place_.among_others) looked_boot_ns_ = now_boot_ns_;
  return {};
}

Status Log::check_directories() const {
  Hazard hazard = Hazard::none;
  ScopedArena texts;
  TextView which;
  if (const int error =
          os::find_hazard(place_.path.c_str(), os::own_standard(), hazard, texts, which)) {
    Error failed = failure(code_for(error), error, "cannot examine a directory above it");
    const std::string_view path = place_.path;
    const std::size_t slash = path.rfind('/');
    if (error == ENOENT && slash < path.size())
      failed.message.append("; make it first: mkdir -p ").append({path.data(), slash});
    return failed;
  }
  if (hazard == Hazard::none) return {};
  Error error = failure(Code::not_permitted, 0, "");
  append_hazard(error.message, hazard, which);
  return error;
}

Status Log::open() {
  fd_.reset();
  looked_boot_ns_ = 0;
  whole_at_ = -1;
  if (place_.check_directories) {
    if (Status checked = check_directories(); !checked.ok()) return checked;
  }
  if (Status opened = open_path(); !opened.ok()) return opened;
  Status checked = check_file();
  if (!checked.ok()) fd_.reset();
  return checked;
}

// 0 or an errno value.
int Log::create() {
  constexpr unsigned kForTheGroup = 0660;
  std::uint32_t group = 0;
  const bool shared = !place_.mode_given && os::is_shared_by_group(place_.path.c_str(), group);
  const unsigned mode = shared ? kForTheGroup : place_.mode;
  int error = os::create_to_append(place_.path.c_str(), mode, fd_);
  if (!place_.optional || error == 0 || error == EEXIST) return error;
  if (error == ENOENT) {
    ScopedArena texts;
    TextView which;
    error = os::make_directories_above(place_.path, texts, which);
    if (error == 0) error = os::create_to_append(place_.path.c_str(), mode, fd_);
  }
  nowhere_ =
      error == EACCES || error == EPERM || error == EROFS || error == ENOENT || error == ENOTDIR;
  return error;
}

Status Log::open_path() {
  for (int i = 0; i < kTries; ++i) {
    int error = os::open_to_append(place_.path.c_str(), fd_);
    if (error == 0) return {};
    if (error == ENOENT) {
      error = create();
      if (error == 0) return {};
      if (error == EEXIST) continue;  // another process was first
      return failure(code_for(error), error, "cannot create the file");
    }
    if (error == ELOOP)
      return failure(Code::io, 0,
                     "is a symbolic link, which is not followed; name the file itself");
    if (error == EISDIR) return failure(Code::io, 0, "is a directory; name a file in it");
    if (error == ENXIO) return failure(Code::io, 0, "is not a regular file");
    return failure(code_for(error), error, "cannot open the file");
  }
  return failure(Code::io, 0, "appears and vanishes again and again");
}

// Made by another member of the group that shares the directory, for all of them.
bool Log::is_of_our_group(const struct stat& status) const {
  std::uint32_t group = 0;
  return (status.st_mode & S_IWOTH) == 0 && os::is_shared_by_group(place_.path.c_str(), group) &&
         status.st_gid == group;
}

Status Log::check_file() {
  struct stat status;
  if (const int error = os::file_status_untimed(fd_.get(), status))
    return failure(Code::io, error, "cannot examine the file");
  if (!S_ISREG(status.st_mode)) return failure(Code::io, 0, "is not a regular file");
  // A second link may have been made so that we write into another file of the user.
  if (status.st_nlink > 1)
    return failure(Code::io, 0, "has other hard links; name a file with only one name");
  // Refused whatever its mode is: another user may have put it there on purpose.
  if (status.st_uid != os::user_id() && status.st_uid != kRoot && !is_of_our_group(status))
    return failure(Code::not_permitted, 0, "belongs to another user; name another with --log");
  device_ = static_cast<std::uint64_t>(status.st_dev);
  inode_ = static_cast<std::uint64_t>(status.st_ino);
  size_ = status.st_size;
  return {};
}

Status Log::look_at_end(bool& torn) {
  torn = false;
  if (size_ == whole_at_) return {};  // no process has written since we did
  for (int i = 0; i < kTries; ++i) {
    char last = '\n';
    std::size_t got = 0;
    if (size_ > 0) {
      if (const int error = os::read_at(fd_.get(), &last, 1, size_ - 1, got)) {
        return failure(Code::io, error, "cannot read how the file ends");
      }
    }
    if (last == '\n') return {};
    // Another process may be writing it just now. If so, the file is longer once that write has
    // ended.
    const std::int64_t before = size_;
    struct stat status;
    os::await_writes(fd_.get());
    if (const int error = os::file_status_untimed(fd_.get(), status)) {
      return failure(Code::io, error, "cannot examine the file");
    }
    size_ = status.st_size;
    torn = size_ == before;
    if (torn) return {};
  }
  return {};
}

Status Log::write(char* line, std::size_t size, bool& kept) {
  kept = true;
  if (os::beyond_limit(size_ + static_cast<std::int64_t>(size) + kLimitMargin)) {
    return failure(Code::io, EFBIG, "cannot write");
  }
  bool torn = false;
  if (Status looked = look_at_end(torn); !looked.ok()) return looked;
  // After an incomplete line (its writer died or the disk was full), ours begins on a new line.
  char* const from = torn ? line : line + 1;
  const std::size_t count = torn ? size + 1 : size;
  *line = '\n';
  std::size_t done = 0;
  int error = os::append(fd_.get(), from, count, done);
  if (error == 0 && done < count) {
    // The write was cut short: the disk is full, and the next write reports it. If the next write
    // succeeds, it ends the cut line.
    error = os::append(fd_.get(), "\n", 1, done);
    if (error == 0) return failure(Code::io, 0, "a line was written in part only");
  }
  if (error != 0) return failure(code_for(error), error, "cannot write");
  size_ += static_cast<std::int64_t>(done);
  if (place_.among_others && just_looked() && size_ < place_.cap) {
    whole_at_ = size_;
    return {};
  }
  struct stat status;
  if ((error = os::file_status_untimed(fd_.get(), status)) != 0)
    return failure(Code::io, error, "cannot examine the file");
  if (status.st_nlink == 0) {
    kept = false;
    return {};
  }
  if (status.st_size >= place_.cap) rotate();
  return {};
}

// A process that finds the file too large renames it under a lock on the file itself. Under the
// lock, it checks that the path still leads to the locked file, so that one rotation cannot move
// the new file of another one. If a rotation fails or another process is doing one, the next event
// tries again.
void Log::rotate() {
  if (os::try_lock(fd_.get(), os::Owner::description, os::LockKind::write, kRotation) != 0) return;
  bool same = false;
  if (os::same_file(fd_.get(), place_.path.c_str(), same) == 0 && same) {
    PathText old = place_.path;
    old.append(kOldEnding);
    if (!old.truncated()) os::rename_file(place_.path.c_str(), old.c_str());
  }
  os::unlock(fd_.get(), os::Owner::description, kRotation);
}

}  // namespace atmost::history
