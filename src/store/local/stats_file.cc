#include "stats_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "hints.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/self.h"

namespace atmost::local {
namespace {

// A read may meet another process's write, so it is repeated up to this often.
constexpr int kReadTries = 4;

PathText experience_path(std::string_view lock) {
  const std::size_t slash = lock.rfind('/');
  PathText path(lock.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  path.append(kDirectoryStatsName);
  return path;
}

// The directory's file.
class Directory {
 public:
  bool open(std::string_view lock, const Making& making) {
    const PathText path = experience_path(lock);
    if (path.truncated()) return false;
    int error = os::open_existing(path.c_str(), fd_);
    if (error == ENOENT && making.wanted)
      error = os::create_new(path.c_str(), making.mode & 0644u, fd_);
    return error == 0 && is_ours_alone(fd_.get());
  }
  // False when another process uses it.
  bool lock() {
    return os::try_lock(fd_.get(), os::Owner::description, os::LockKind::write, {0, 0}) == 0;
  }

  void read(DirectoryStats& to) {
    ExperienceRecord record{};
    to = {};
    for (int i = 0; i < kReadTries; ++i) {
      std::size_t got = 0;
      const bool ours =
          os::read_at(fd_.get(), &record, sizeof record, 0, got) == 0 && got == sizeof record &&
          std::memcmp(record.magic, kMagic, sizeof kMagic) == 0 &&
          (record.version == kExperienceVersion || record.version == kExperienceVersion - 1);
      if (!ours) return;
      if (record.checksum != sum_of(record)) continue;
      to = record.directory_stats;
      if (record.version != kExperienceVersion) bring_up_to_date(to);
      return;
    }
  }
  void write(const DirectoryStats& from) {
    ExperienceRecord record{};
    std::memcpy(record.magic, kMagic, sizeof kMagic);
    record.version = kExperienceVersion;
    record.directory_stats = from;
    record.checksum = sum_of(record);
    (void)os::write_at(fd_.get(), &record, sizeof record, 0);
  }

 private:
  os::Fd fd_;
};

}  // namespace

bool is_ours_alone(int fd) {
  struct stat status;
  if (os::file_status(fd, status) != 0) return false;
  const bool trusted = status.st_uid == os::user_id() || status.st_uid == 0;
  // A second name may have been given so that we write into another file of the user.
  return trusted && status.st_nlink <= 1 && S_ISREG(status.st_mode) &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

namespace {

// True if it was written by the version before. Its checksum lay at once behind its statistics.
bool was_whole(const MemoryRecord& record) {
  constexpr std::size_t kSize = offsetof(MemoryRecord, lock_stats) + kOldLockStats;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&record);
  std::uint64_t checksum;
  std::memcpy(&checksum, bytes + kSize, sizeof checksum);
  return record.version == kMemoryVersion - 1 && checksum == checksum_of(bytes, kSize);
}

int write_lock_stats(int fd, const LockStats& lock_stats) {
  MemoryRecord record{};
  std::memcpy(record.magic, kMemoryMagic, sizeof kMemoryMagic);
  record.version = kMemoryVersion;
  record.lock_stats = lock_stats;
  record.checksum = sum_of(record);
  return os::write_at(fd, &record, sizeof record, kMemoryAt);
}

}  // namespace

bool read_lock_stats(int fd, LockStats& lock_stats) {
  MemoryRecord record{};
  std::size_t got = 0;
  const bool ours = os::read_at(fd, &record, sizeof record, kMemoryAt, got) == 0 &&
                    std::memcmp(record.magic, kMemoryMagic, sizeof kMemoryMagic) == 0;
  const bool whole = ours && got == sizeof record && record.version == kMemoryVersion &&
                     record.checksum == sum_of(record);
  const bool old = ours && !whole && was_whole(record);
  lock_stats = whole || old ? record.lock_stats : LockStats{};
  if (old) bring_up_to_date(lock_stats);
  return whole || old;
}

int erase_memory(int fd) {
  LockStats lock_stats;
  if (!read_lock_stats(fd, lock_stats)) return 0;
  const MemoryRecord nothing{};
  return os::write_at(fd, &nothing, sizeof nothing, kMemoryAt);
}

void recall(int fd, std::string_view path, LockStats& lock_stats, DirectoryStats& directory_stats) {
  lock_stats = {};
  directory_stats = {};
  if (fd >= 0 && is_ours_alone(fd)) (void)read_lock_stats(fd, lock_stats);
  Directory directory;
  if (directory.open(path, {})) directory.read(directory_stats);
}

bool memorize(int fd, std::string_view path, const Making& making, LearnFn learn,
              const RunSample& what) {
  if (!is_ours_alone(fd)) return false;
  LockStats lock_stats;
  DirectoryStats directory_stats{};
  (void)read_lock_stats(fd, lock_stats);
  Directory directory;
  const bool ended = what.kind == RunSample::Kind::completed ||
                     what.kind == RunSample::Kind::stopped ||
                     what.kind == RunSample::Kind::at_limit;
  const bool known = ended && directory.open(path, making);
  const bool shared = known && directory.lock();
  if (known) directory.read(directory_stats);
  const bool suspicious = learn(lock_stats, directory_stats, what);
  if (shared) directory.write(directory_stats);
  (void)write_lock_stats(fd, lock_stats);
  return suspicious;
}

}  // namespace atmost::local
