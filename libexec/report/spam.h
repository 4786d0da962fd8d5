// Requests that keep coming sooner than they may, recognized from a log.
#ifndef ATMOST_LIBEXEC_REPORT_SPAM_H
#define ATMOST_LIBEXEC_REPORT_SPAM_H

#include "policy/schedule.h"

namespace atmost::report {

// One for each lock. Times are in ns since 1970; requests come in the order of their log.
class Spam {
 public:
  // The lock's IfElapsed, from the latest refusal.
  void set_interval(std::int64_t ns) { interval_.ns = ns; }
  std::int64_t interval_ns() const { return interval_.ns; }  // 0 if no refusal had one

  // True if the latest requests were spam.
  bool goes_on() const { return policy::is_spam(arrivals_); }

  // The lock was requested. Returns true if that is spam (policy::arrived has the rule).
  bool request(std::int64_t at_ns) { return policy::arrived(arrivals_, at_ns, interval_); }

 private:
  Duration interval_{};
  policy::Arrivals arrivals_;
};

}  // namespace atmost::report

#endif
