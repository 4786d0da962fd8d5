// The input of a replay: runs of atoms, in the order in which they started.
#ifndef ATMOST_LIBEXEC_SIMULATE_TRACE_H
#define ATMOST_LIBEXEC_SIMULATE_TRACE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atmost::simulate {

// One job: 18 numbers separated by blanks, -1 where a value is not known. The other fields are not
// read.
struct Job {
  std::int64_t start_ns =
      0;  // submitted (field 2) + waited (field 3), since the log's own beginning
  std::int64_t ran_ns = -1;  // field 4; negative: not known
  // Field 11. Partial executions (2, 3, 4) repeat a part of another line, which is about the whole
  // job.
  enum class Status : std::uint8_t { completed, failed, cancelled, partial };
  Status status = Status::completed;  // or not known
  std::int64_t user = -1;             // field 12
  std::int64_t program = -1;          // field 14, the number of the executable
};

enum class Swf : std::uint8_t {
  job,
  comment,  // begins with a semicolon, or blank
  wrong,    // not 18 numbers, or one that cannot be
};

// `line` without its newline. Numbers of at most 15 digits, with a fraction or without; `to` is
// filled for a job.
Swf read_swf(std::string_view line, Job& to);

struct Run {
  std::uint32_t atom = 0;
  std::int64_t start_ns = 0;
  std::int64_t ran_ns = 0;
  std::int64_t user = 0;
  bool cut_short = false;  // it was stopped from outside, and would have taken longer
};

struct Trace {
  std::vector<Run> runs;  // by start; those that started together as they stand in the file
  std::size_t atoms = 0;
};

// A history of ours or a log in the Standard Workload Format, compressed by gzip or not; "-" is
// standard input. The kind of each line is found from the line itself. An atom is a lock (by path),
// or a user's program. Lines that are neither are counted and reported, the first by its number.
// Throws Failure if there is no such file, or no run in it.
Trace read_trace(const std::string& path, bool quiet);

// The trace without the atoms of fewer runs; atoms are numbered anew.
Trace with_runs(const Trace& trace, std::size_t at_least);

enum class Split : std::uint8_t { none, user, time };
// Two halves, each with about half the runs: of every other user (in the order of appearance; of
// every other atom where there is one user), or of the first and the second half of the time.
std::vector<Trace> halves(const Trace& trace, Split split);

}  // namespace atmost::simulate

#endif
