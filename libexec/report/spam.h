// Requests that keep coming sooner than they may, as Burgess & Skipitaris (LISA '97, "Conclusions") describe spam.
#ifndef ATMOST_LIBEXEC_REPORT_SPAM_H
#define ATMOST_LIBEXEC_REPORT_SPAM_H

#include <cstdint>

namespace atmost::report {

// One for each lock. A request is spam when it and the two before it came at or below the interval, each after the one
// before. An odd retry is none, and neither is a schedule with a longer interval.
// Times are in ns since 1970; requests come in the order of their log.
class Spam {
 public:
  // The lock's IfElapsed, as the latest refusal tells it.
  void set_interval(std::int64_t ns) { interval_ns_ = ns; }
  std::int64_t interval_ns() const { return interval_ns_; }  // 0: no refusal told one

  // Somebody asked for the lock. Returns whether that is spam.
  bool request(std::int64_t at_ns);

 private:
  static constexpr unsigned kKeepArriving = 2;  // in a row, before one counts
  static constexpr std::int64_t kJitter = 64;   // "at" the interval: up to so small a part of it later

  std::int64_t interval_ns_ = 0;
  std::int64_t last_ns_ = 0;  // 0: there was none
  unsigned in_a_row_ = 0;
};

}  // namespace atmost::report

#endif
