// Reads the witness's file and returns how many were inside at once.
#ifndef ATMOST_TESTS_PROCESS_WITNESS_LOG_H
#define ATMOST_TESTS_PROCESS_WITNESS_LOG_H

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "witness_record.h"

namespace witness {

// Replays records in file order. Counts a process from its '+' to its '-', its 'k' or its 'x',
// whichever is first: never longer than it held its slot, so an excess is an excess.
class Replay {
 public:
  void feed(const Record& record);

  std::uint64_t admissions() const { return admissions_; }
  unsigned inside() const { return inside_weight_; }
  unsigned most_inside() const { return most_inside_; }
  std::vector<std::int32_t> pids_inside() const;
  std::uint64_t killed_inside() const { return killed_inside_; }
  // Impossible cases: two in one slot, a slot above the limit, a token given twice, a command that
  // began twice.
  const std::vector<std::string>& contradictions() const { return contradictions_; }

 private:
  struct Inside {
    Record begin;
    bool condemned = false;
  };
  void begin(const Record& record);
  void condemn(std::int32_t pid);
  void leave(std::int32_t pid, bool must_be_inside);
  void wrong(const Record& record, const std::string& what);

  std::map<std::int32_t, Inside> inside_;
  std::set<std::int32_t> condemned_outside_;  // 'k' came before '+': the process was on its way in
  std::set<std::uint64_t> tokens_;
  std::uint64_t admissions_ = 0;
  std::uint64_t killed_inside_ = 0;
  unsigned inside_weight_ = 0;
  unsigned most_inside_ = 0;
  std::vector<std::string> contradictions_;
};

// The file, for the driver: made empty, read as it grows, written with the driver's own marks.
class Log {
 public:
  explicit Log(std::string path);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  const std::string& path() const { return path_; }
  void mark(char kind, std::int32_t pid);
  // Hands over the records that came since the last call, oldest first.
  void read_new(const std::function<void(const Record&)>& take);

 private:
  std::string path_;
  int fd_ = -1;
  std::int64_t read_to_ = 0;
};

}  // namespace witness

#endif
