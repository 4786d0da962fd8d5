#include "admissions.h"

#include "hints.h"
#include "os/file.h"
#include "rule/judge.h"

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

Stamp admission_of(const LockFile& file, std::uint64_t number) {
  StampData at;
  return read_entry(file, number, at) ? stamp_of(at, file.identity()) : Stamp{};
}

Status append_admission(LockFile& file, std::uint64_t number, const Stamp& at) {
  return write_entry(file, number, as_data(at, file.identity()));
}

void mend_admissions(LockFile& file, const Instant& now) {
  const std::uint64_t end = file.header().admissions;
  for (std::uint64_t number = end > kMaxRate ? end - kMaxRate : 0; number < end; ++number) {
    Stamp at = admission_of(file, number);
    if (rule::mended(at, now)) (void)append_admission(file, number, at);
  }
}

}  // namespace atmost::local
