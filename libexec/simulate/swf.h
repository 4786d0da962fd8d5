// Lines of the Standard Workload Format (version 2.2, D. Feitelson, Parallel Workloads Archive).
#ifndef ATMOST_LIBEXEC_SIMULATE_SWF_H
#define ATMOST_LIBEXEC_SIMULATE_SWF_H

#include <cstdint>
#include <string_view>

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

}  // namespace atmost::simulate

#endif
