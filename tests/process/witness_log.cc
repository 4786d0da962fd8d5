#include "witness_log.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace witness {

void Replay::wrong(const Record& record, const std::string& what) {
  if (contradictions_.size() < 20) {
    contradictions_.push_back("admission " + std::to_string(admissions_) + ", process " +
                              std::to_string(record.pid) + ", slot " + std::to_string(record.slot) +
                              ": " + what);
  }
}

void Replay::begin(const Record& record) {
  ++admissions_;
  if (inside_.count(record.pid) != 0) wrong(record, "began twice");
  if (record.slot != 0 && record.limit != 0 && record.slot > record.limit) {
    wrong(record, "the slot is above the limit of " + std::to_string(record.limit));
  }
  if (record.token != 0 && !tokens_.insert(record.token).second) {
    wrong(record, "token " + std::to_string(record.token) + " was given before");
  }
  for (const auto& [pid, other] : inside_) {
    if (!other.condemned && record.slot != 0 && other.begin.slot == record.slot) {
      wrong(record, "process " + std::to_string(pid) + " has that slot");
    }
  }
  const bool condemned = condemned_outside_.erase(record.pid) != 0;
  inside_[record.pid] = {record, condemned};
  if (condemned) {
    ++killed_inside_;
    return;
  }
  inside_weight_ += record.weight;
  if (inside_weight_ > most_inside_) most_inside_ = inside_weight_;
}

std::vector<std::int32_t> Replay::pids_inside() const {
  std::vector<std::int32_t> pids;
  for (const auto& [pid, inside] : inside_) {
    if (!inside.condemned) pids.push_back(pid);
  }
  return pids;
}

void Replay::condemn(std::int32_t pid) {
  const auto found = inside_.find(pid);
  if (found == inside_.end()) {
    condemned_outside_.insert(pid);
  } else if (!found->second.condemned) {
    found->second.condemned = true;
    inside_weight_ -= found->second.begin.weight;
    ++killed_inside_;
  }
}

void Replay::leave(std::int32_t pid, bool must_be_inside) {
  const auto found = inside_.find(pid);
  if (found == inside_.end()) {
    if (must_be_inside)
      contradictions_.push_back("process " + std::to_string(pid) + " ended without a begin");
    return;
  }
  if (!found->second.condemned) inside_weight_ -= found->second.begin.weight;
  inside_.erase(found);
}

void Replay::feed(const Record& record) {
  switch (record.kind) {
    case '+':
      begin(record);
      return;
    case '-':
      leave(record.pid, true);
      return;
    case 'k':
      condemn(record.pid);
      return;
    case 'x':
      condemned_outside_.erase(record.pid);
      leave(record.pid, false);
      return;
    default:
      wrong(record, "a mark of unknown kind");
  }
}

Log::Log(std::string path) : path_(std::move(path)) {
  fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (fd_ < 0) throw std::runtime_error(path_ + ": " + std::strerror(errno));
}

Log::~Log() { close(fd_); }

void Log::mark(char kind, std::int32_t pid) {
  Record record;
  record.kind = kind;
  record.pid = pid;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  record.ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  if (write(fd_, &record, sizeof record) != static_cast<ssize_t>(sizeof record)) {
    throw std::runtime_error(path_ + ": cannot write a mark");
  }
}

void Log::read_new(const std::function<void(const Record&)>& take) {
  std::array<Record, 128> records;
  for (;;) {
    const ssize_t got = pread(fd_, records.data(), sizeof records, read_to_);
    const auto whole = static_cast<std::size_t>(got > 0 ? got : 0) / sizeof(Record);
    if (whole == 0) return;
    for (std::size_t i = 0; i < whole; ++i) take(records[i]);
    read_to_ += static_cast<std::int64_t>(whole * sizeof(Record));
  }
}

}  // namespace witness
