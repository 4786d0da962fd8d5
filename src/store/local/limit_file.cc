#include "limit_file.h"

#include <cerrno>

#include "core/words.h"
#include "os/file.h"
#include "os/self.h"

namespace atmost::local {
namespace {

std::string_view name_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return path;
}

// NAME.limit beside NAME.lock, or beside NAME. False: the path is too long.
bool limit_path(std::string_view lock, PathText& to, std::string_view ending = ".limit") {
  constexpr std::string_view kLock = ".lock";
  const std::string_view name = name_of(lock);
  const bool stripped = name.size() > kLock.size() && name.rfind(kLock) == name.size() - 5;
  const std::size_t size = lock.size() - (stripped ? kLock.size() : 0);
  if (size + ending.size() > PathText::capacity()) return false;
  to.assign({lock.data(), size});
  to.append(ending);
  return true;
}

Error invalid(const LockFile& file, std::string_view why, int sys = 0) {
  Error error = file.failure(Code::io, 0, "its limit of record ");
  error.message.append(why);
  if (sys != 0) error.message.append(": ").append(errno_words(sys));
  error.message.append("; atmost limit sets it again");
  return error;
}

// Opens and reads it; `got` bytes.
Status read_text(const LockFile& file, std::span<char> room, std::size_t& got) {
  PathText path;
  os::Fd record;
  if (!limit_path(file.path(), path)) return invalid(file, "has too long a path");
  if (const int error = os::open_to_read(path.c_str(), record))
    return error == ENOENT ? Status(error_of(Code::io, ENOENT, ""))
                           : invalid(file, "cannot be read", error == ELOOP ? 0 : error);
  struct stat status;
  if (const int error = os::file_status(record.get(), status))
    return invalid(file, "cannot be examined", error);
  if (!S_ISREG(status.st_mode)) return invalid(file, "is not a regular file");
  constexpr std::uint32_t kRoot = 0;
  if (status.st_uid != file.owner() && status.st_uid != kRoot)
    return invalid(file, "belongs neither to the lock's owner nor to root");
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return invalid(file, "may be written by others than its owner");
  if (const int error = os::read_at(record.get(), room.data(), room.size(), 0, got))
    return invalid(file, "cannot be read", error);
  return {};
}

// A reader without the guard may come while the limit is cleared: first the bit goes.
bool still_marked(const LockFile& file) {
  struct stat status;
  return os::file_status(file.fd(), status) != 0 || (status.st_mode & S_ISVTX) != 0;
}

Status not_written(const PathText& path, int error) {
  Error failed = error_of(code_for(error), error, path.view());
  failed.message.append(": cannot write the limit of record: ").append(errno_words(error));
  return failed;
}

// Writes it under another name, then gives it its own.
Status replace_text(const LockFile& file, std::string_view text) {
  constexpr unsigned kAllMayRead = 0644;
  PathText fresh;
  PathText path;
  if (!limit_path(file.path(), fresh, ".limit.new") || !limit_path(file.path(), path))
    return not_written(path, ENAMETOOLONG);
  (void)os::remove_name(fresh.c_str());  // left by a caller that was killed
  int error = 0;
  {
    os::Fd record;
    error = os::create_new(fresh.c_str(), kAllMayRead, record);
    if (error == 0) error = os::write_at(record.get(), text.data(), text.size(), 0);
    if (error == 0) error = os::sync_data(record.get());
  }
  if (error == 0) error = os::rename_file(fresh.c_str(), path.c_str());
  if (error == 0) return {};
  (void)os::remove_name(fresh.c_str());
  return not_written(path, error);
}

Status remove_limit(LockFile& file) {
  PathText path;
  if (const int error = file.mark_limit(false))
    return file.failure(code_for(error), error, "cannot clear its limit of record");
  if (limit_path(file.path(), path)) (void)os::remove_name(path.c_str());
  return {};
}

Status write_limit(LockFile& file, const RecordedLimit& limit, std::span<char> room) {
  const std::size_t size = format_limit(limit, name_of(file.path()), room);
  if (size == 0)
    return file.failure(Code::usage, 0,
                        "--names: too long: use at most 31 KiB of names, and a "
                        "lock's name of one line");
  if (Status replaced = replace_text(file, {room.data(), size}); !replaced.ok()) return replaced;
  if (file.has_limit()) return {};
  if (const int error = file.mark_limit(true))
    return file.failure(code_for(error), error, "cannot set its limit of record");
  return {};
}

}  // namespace

Status read_limit(LockFile& file, std::span<char> room, RecordedLimit& to, bool& limited) {
  limited = file.has_limit();
  to = {};
  if (!limited) return {};
  std::size_t size = 0;
  Status read = read_text(file, room, size);
  if (!read.ok() && read.error().sys == ENOENT) {
    limited = still_marked(file);
    if (!limited) return {};
    return invalid(file, "is missing");
  }
  if (!read.ok()) return read;
  if (!parse_limit({room.data(), size}, name_of(file.path()), to))
    return invalid(file, "is damaged, or another lock's");
  return {};
}

Status edit_limit(LockFile& file, const LimitChange& change, LimitRoom& room) {
  constexpr std::uint32_t kRoot = 0;
  if (file.user() != kRoot && file.user() != file.owner())
    return file.failure(Code::not_permitted, 0,
                        "only its owner and root may change its limit of record");
  RecordedLimit before;
  RecordedLimit after;
  bool limited = false;
  // A damaged record is replaced, or removed.
  const Status read = read_limit(file, room.texts[0], before, limited);
  *change.from = !read.ok() ? Text<200>("damaged") : recorded_words(before);
  if (!read.ok()) before = {};
  if (Status changed = change_limit(before, change, after); !changed.ok()) return changed;
  *change.to = recorded_words(after);
  return after.max == 0 ? remove_limit(file) : write_limit(file, after, room.texts[1]);
}

}  // namespace atmost::local
