// The lock file in words, for `atmost explain`: which processes hold what, and what is wrong; in
// detail, every byte range, and every hint and whether it counts.
#ifndef ATMOST_LIBEXEC_EXPLAIN_EXPLANATION_H
#define ATMOST_LIBEXEC_EXPLAIN_EXPLANATION_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "os/locks.h"
#include "store/local/hints.h"

namespace atmost::explain {

// Collects the text and writes it at finish(). Blocks as the descriptor does. A vanished reader
// raises no SIGPIPE. REQUIRES: a single-threaded process.
class Report {
 public:
  explicit Report(int fd) : fd_(fd) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  Report& text(std::string_view ours);      // as it is
  Report& shown(std::string_view foreign);  // escaped for a terminal
  Report& number(std::int64_t value) { return text(std::to_string(value)); }
  Report& count(std::uint64_t value) { return text(std::to_string(value)); }
  Report& hex(std::uint64_t value);
  Report& line() { return text("\n"); }
  Status finish();

 private:
  int fd_;
  std::string text_;
};

// A byte position as a person reads the map: "8", "2^42+7".
std::string position_words(std::int64_t byte);

// Most of what an explanation is about has its name there.
using namespace local;  // NOLINT(google-build-using-namespace): forty names of its hints and bytes

// Contradictions of hints and locks; shown at the end.
class Contradictions {
 public:
  // "SUBJECT NUMBER: TEXT"
  void add(const std::string& subject, std::uint64_t number, const std::string& text);
  bool any() const { return !entries_.empty(); }
  void tell(Report& out) const;

 private:
  static constexpr std::size_t kMost = 40;  // that are shown
  std::vector<std::string> entries_;
  std::size_t count_ = 0;
};

struct Explanation {
  bool detailed = false;  // every byte range and hint; else what is locked, and what is wrong
  int fd = 0;             // of the lock file, read only
  std::int64_t size = 0;
  Identity identity;
  Instant now;
  std::uint64_t index = 0;
  Header header = {};
  HeaderState state = HeaderState::fresh;
  std::unique_ptr<os::LockHoldings> holdings =
      std::make_unique<os::LockHoldings>();  // half a megabyte
  Contradictions contradictions;
  std::uint32_t highest_held = 0;
  std::vector<bool> held = std::vector<bool>(kMaxSlots + 1);  // slots that are locked

  void mark_held(std::uint32_t slot) {
    held[slot] = true;
    highest_held = std::max(highest_held, slot);
  }
  bool words_count() const {
    return state == HeaderState::good && header.boot == identity.boot && identity.boot != 0;
  }
};

// Errno values.
int explain_locks(Explanation& about, Report& out);
int explain_hints(Explanation& about, Report& out);
// Reports a circle of callers that may wait for one another; true if there is one.
bool explain_circle(const Explanation& about, Report& out);
void explain_memory(const Explanation& about, Report& out);
// The hints that a person asks for.
void sum_up_hints(const Explanation& about, Report& out);

// `path`: of the lock file. Needs only the right to read the file, changes nothing and takes no
// lock; so changes by other processes meanwhile may look like contradictions. A file that `run`
// would refuse is explained, too, with the reason. Blocks as `fd` does. Errors: the file cannot be
// read, or the text cannot be written (Code::io).
Status explain(const std::string& path, bool detailed, int fd);

}  // namespace atmost::explain

#endif
