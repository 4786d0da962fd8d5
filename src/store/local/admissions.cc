#include "admissions.h"

#include "hints.h"
#include "os/file.h"

namespace atmost::local {
namespace {

std::uint64_t sum_of(const StampData& at, std::uint64_t number) {
  const struct {
    StampData at;
    std::uint64_t number;
  } covered = {at, number};
  return checksum_of(&covered, sizeof covered);
}

bool read_entry(const LockFile& file, std::uint64_t number, StampData& to) {
  AdmissionRecord entry;
  std::size_t got = 0;
  const int error = os::read_at(file.fd(), &entry, sizeof entry, admission_at(number), got);
  if (error != 0 || got < sizeof entry || entry.checksum != sum_of(entry.at, number)) return false;
  to = entry.at;
  return true;
}

Status write_entry(LockFile& file, std::uint64_t number, const StampData& at) {
  const AdmissionRecord entry = {at, sum_of(at, number)};
  const int error = os::write_at(file.fd(), &entry, sizeof entry, admission_at(number));
  return error == 0 ? Status{} : file.failure(Code::io, error, "cannot write the lock file");
}

}  // namespace

Stamp first_of_last(const LockFile& file, std::uint32_t count) {
  const Header& header = file.header();
  const Stamp last = stamp_of(header.start, file.identity());
  if (count <= 1) return last;
  if (header.admissions < count) return stamp_of(header.unknown_before, file.identity());
  for (std::uint64_t number = header.admissions - count; number < header.admissions; ++number) {
    StampData at;
    if (read_entry(file, number, at)) return stamp_of(at, file.identity());
  }
  return last;
}

Status record_admission(LockFile& file, bool makes, const Instant& now) {
  Header& header = file.header();
  if (header.admissions == 0) {
    if (!makes) return {};
    if (stamp_of(header.start, file.identity()).known) {
      if (Status kept = write_entry(file, header.admissions, header.start); !kept.ok()) return kept;
      ++header.admissions;
    }
  }
  Status written = write_entry(file, header.admissions, data_of(now, file.identity()));
  if (written.ok()) ++header.admissions;
  return written;
}

void bring_back(LockFile& file, const Instant& now) {
  const std::uint64_t end = file.header().admissions;
  for (std::uint64_t number = end > kMaxRate ? end - kMaxRate : 0; number < end; ++number) {
    StampData at;
    if (read_entry(file, number, at) && age_ns(stamp_of(at, file.identity()), now) < 0)
      (void)write_entry(file, number, data_of(now, file.identity()));
  }
}

}  // namespace atmost::local
