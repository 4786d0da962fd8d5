// The records of a lock file: of holders, waiters, admissions and heartbeats.
#include <cstring>

#include "hints.h"
#include "lock_file.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "rule/state.h"

namespace atmost::local {
namespace {

std::string_view host_in(std::span<const char> bytes) {
  return {bytes.data(), strnlen(bytes.data(), bytes.size())};
}

template <std::size_t N>
std::string_view text_of(const char (&bytes)[N], std::uint8_t size) {
  return {bytes, size < N ? size : N};
}

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

Status write_entry(const LockFile& file, std::uint64_t number, const StampData& at) {
  const AdmissionRecord entry = {at, sum_of(at, number)};
  const int error = os::write_at(file.fd(), &entry, sizeof entry, admission_at(number));
  return error == 0 ? Status{} : file.failure(Code::io, error, "cannot write the lock file");
}

}  // namespace

void note_host(std::span<char> to) {
  const Text<255> name = os::host_name();
  const std::size_t size = name.size() < to.size() ? name.size() : to.size();
  std::memset(to.data(), 0, to.size());
  std::memcpy(to.data(), name.c_str(), size);
}

int write_record(int fd, Record& record) {
  record.checksum = sum_of(record);
  return os::write_at(fd, &record, sizeof record, record_at(record.slot));
}

bool read_record(int fd, std::uint32_t slot, Record& to) {
  std::size_t got = 0;
  if (os::read_at(fd, &to, sizeof to, record_at(slot), got) != 0 || got < sizeof to) return false;
  return to.slot == slot && to.checksum == sum_of(to);
}

void view_of(const Record& record, const Identity& identity, HolderView& to) {
  to.has_record = true;
  to.kind = record.kind <= static_cast<std::uint8_t>(HolderKind::keeper)
                ? static_cast<HolderKind>(record.kind)
                : HolderKind::foreign;
  to.eviction = record.eviction <= static_cast<std::uint8_t>(Eviction::none)
                    ? static_cast<Eviction>(record.eviction)
                    : Eviction::none;
  to.pid = record.pid;
  const bool keeps = to.kind == HolderKind::keeper && record.kept_for <= INT32_MAX;
  to.kept_for = keeps ? static_cast<std::int64_t>(record.kept_for) : 0;
  to.kept_for_start_ns = keeps ? record.kept_for_start_ns : 0;
  if (to.kind == HolderKind::supervised && !identity.across && record.max_runtime_ns > 0)
    to.max_runtime = {record.max_runtime_ns};
  to.uid = record.uid;
  to.token = record.token;
  to.start = stamp_of({record.start_real_ns, record.start_boot_ns, record.boot}, identity);
  to.expire_after = {record.expire_after_ns < 0 ? Duration::kForever : record.expire_after_ns};
  to.id = Text<63>(text_of(record.id, record.id_size));
  to.command = Text<63>(text_of(record.command, record.command_size));
  if (identity.across) to.host = Text<63>(host_in(record.host));
}

int write_waiter(int fd, WaiterRecord& record) {
  record.checksum = sum_of(record);
  return os::write_at(fd, &record, sizeof record, waiter_at(record.ticket));
}

bool read_waiter(int fd, std::uint64_t ticket, WaiterRecord& to) {
  std::size_t got = 0;
  if (os::read_at(fd, &to, sizeof to, waiter_at(ticket), got) != 0 || got < sizeof to) return false;
  return to.ticket % kWaiterRing == ticket % kWaiterRing && to.ticket != 0 &&
         to.ticket <= kMaxTicket && to.queue <= kModeQueue && to.checksum == sum_of(to);
}

void view_of(const WaiterRecord& record, const Identity& identity, WaiterView& to) {
  to.ticket = record.ticket;
  to.max = record.max;
  to.mode = record.mode <= static_cast<std::uint8_t>(Mode::exclusive)
                ? static_cast<Mode>(record.mode)
                : Mode::plain;
  to.pid = record.pid;
  to.uid = record.uid;
  to.start = stamp_of({record.start_real_ns, record.start_boot_ns, record.boot}, identity);
  to.id = Text<63>(text_of(record.id, record.id_size));
  to.command = Text<63>(text_of(record.command, record.command_size));
  if (identity.across) to.host = Text<63>(host_in(record.host));
}

Stamp admission_of(const LockFile& file, std::uint64_t number) {
  StampData at;
  return read_entry(file, number, at) ? stamp_of(at, file.identity()) : Stamp{};
}

Status append_admission(const LockFile& file, std::uint64_t number, const Stamp& at) {
  return write_entry(file, number, as_data(at, file.identity()));
}

void mend_admissions(const LockFile& file, const Instant& now) {
  const std::uint64_t end = file.header().admissions;
  for (std::uint64_t number = end > kMaxRate ? end - kMaxRate : 0; number < end; ++number) {
    Stamp at = admission_of(file, number);
    if (rule::mended(at, now)) (void)append_admission(file, number, at);
  }
}

int beat(int fd, std::uint32_t slot, std::uint64_t token, std::uint64_t number) {
  Heartbeat record = {token, number, os::now().real_ns, 0};
  record.checksum = sum_of(record);
  if (const int error = os::write_at(fd, &record, sizeof record, heartbeat_at(slot))) return error;
  return os::sync_data(fd);
}

}  // namespace atmost::local
