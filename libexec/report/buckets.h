// A lock's events summed up in equal intervals of time, for logs of a million events.
#ifndef ATMOST_LIBEXEC_REPORT_BUCKETS_H
#define ATMOST_LIBEXEC_REPORT_BUCKETS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ledger.h"

namespace atmost::report {

// [from_ns, to_ns) cut into `count` equal pieces; the last one's end included. REQUIRES: from_ns <
// to_ns, count > 0.
struct Window {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 1;
  std::size_t count = 1;

  double width_ns() const {
    return static_cast<double>(to_ns - from_ns) / static_cast<double>(count);
  }
  // The position of a moment, in pieces from the beginning: below 0 or above `count` if it is
  // outside.
  double place(std::int64_t at_ns) const {
    return static_cast<double>(at_ns - from_ns) / width_ns();
  }
};

struct Bucket {
  double held = 0;                                 // slots held in it on average
  std::uint32_t runs = 0, failed = 0, killed = 0;  // that started in it
  std::uint32_t too_soon = 0, busy = 0, takeovers = 0;

  bool empty() const {
    return held < 1e-6 && runs == 0 && too_soon == 0 && busy == 0 && takeovers == 0;
  }
};

// Takes time proportional to the number of events, however long they last. Events outside the
// window are left out.
std::vector<Bucket> buckets_of(const LockStory& story, const Window& window);

// The most callers that waited at once in each piece, all stories together.
std::vector<std::uint32_t> queue_of(const std::vector<const LockStory*>& stories,
                                    const Window& window);

}  // namespace atmost::report

#endif
