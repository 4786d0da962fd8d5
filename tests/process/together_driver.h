// Callers that take several locks at once, in whatever order they name them; a killer among them; a
// witness outside.
#ifndef ATMOST_TESTS_PROCESS_TOGETHER_DRIVER_H
#define ATMOST_TESTS_PROCESS_TOGETHER_DRIVER_H

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "witness_log.h"
#include "witness_world.h"

namespace witness {

inline constexpr unsigned kLocks = 6;
// Four locks for one, one of three slots, and one for any number of readers or a single writer.
inline constexpr unsigned kRoom[kLocks] = {1, 1, 1, 1, 3, 100};
inline constexpr unsigned kSlots = 4;    // the lock of three slots
inline constexpr unsigned kReaders = 5;  // the one of readers and a writer

// The holds of one caller in each lock while it is inside; travels in the tag of its marks.
class Share {
 public:
  Share() = default;
  explicit Share(std::uint32_t tag) : tag_(tag) {}
  void add(unsigned lock, unsigned slots) { tag_ |= slots << (3 * lock); }
  void add_writer() { add(kReaders, kWriter); }
  unsigned of(unsigned lock) const {
    const unsigned slots = (tag_ >> (3 * lock)) & 7U;
    return lock == kReaders && slots == kWriter ? kRoom[kReaders] : slots;
  }
  std::uint32_t tag() const { return tag_; }

 private:
  static constexpr unsigned kWriter = 7;
  std::uint32_t tag_ = 0;
};

// Counts what is held of each lock, in the order of the marks: a caller from its '+' to its '-',
// 'k' or 'x'.
class Tally {
 public:
  void feed(const Record& record);
  std::vector<pid_t> inside() const;
  std::uint64_t admissions() const { return admissions_; }
  std::uint64_t killed_inside() const { return killed_inside_; }
  unsigned most(unsigned lock) const { return most_[lock]; }
  const std::vector<std::string>& overlaps() const { return overlaps_; }

 private:
  void begin(const Record& record);
  void leave(std::int32_t pid);

  std::map<std::int32_t, Share> inside_;
  std::set<std::int32_t> condemned_;  // killed on their way in: do not count
  unsigned held_[kLocks] = {};
  unsigned most_[kLocks] = {};
  std::uint64_t admissions_ = 0;
  std::uint64_t killed_inside_ = 0;
  std::vector<std::string> overlaps_;
};

struct Crowd {
  unsigned callers = 600;  // in all
  unsigned at_once = 24;
  unsigned kill_one_in = 12;  // so many starts bring one kill
  std::uint64_t seed = 1;
};

struct Told {
  Tally tally;
  unsigned started = 0;
  unsigned refused = 0;
  unsigned killed = 0;
  std::int64_t longest_pause_ns = 0;  // between two admissions
  double seconds = 0;
  std::vector<std::string> troubles;
};
std::string describe(const Told& told);

class Together {
 public:
  Together(const Crowd& crowd, TempDir& directory);
  Told run();

 private:
  void start_one();
  void take_ends();
  void read_log();
  void kill_one();
  void kill(pid_t pid);
  void show_locks();
  void expect_all_free();
  unsigned pick(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
  }
  std::string lock(unsigned number) const {
    return directory_.file("lock" + std::to_string(number));
  }
  void trouble(const std::string& what);

  const Crowd& crowd_;
  TempDir& directory_;
  World world_;
  Log log_;
  std::mt19937_64 random_;
  std::set<pid_t> running_;
  std::int64_t last_admission_ns_ = 0;
  Told told_;
};

}  // namespace witness

#endif
