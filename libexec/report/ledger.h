// The content of the logs, lock by lock: runs put together from their lines, and other events.
#ifndef ATMOST_LIBEXEC_REPORT_LEDGER_H
#define ATMOST_LIBEXEC_REPORT_LEDGER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "policy/schedule.h"
#include "reader/record.h"

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

// The result of a run. `running`: no end is logged, and nothing shows that it is over. `unseen`: it
// is over, since its slot was given to another run, and no process was left to log its end (--exec,
// SIGKILL of atmost, a crash).
enum class RunStatus : std::uint8_t { success, failure, killed, running, unseen };
inline constexpr std::string_view kFateNames[] = {"success", "failure", "killed", "running",
                                                  "unseen"};
inline constexpr std::size_t kFates = sizeof kFateNames / sizeof kFateNames[0];

// All times are ns since 1970, all spans ns and not negative.
struct Run {
  std::int64_t start_ns = 0;
  std::int64_t ran_ns = 0;  // of a running or unseen run: until the last moment that is known of it
  std::int64_t waited_ns = 0;
  std::int64_t token = 0;
  std::uint32_t slot = 0;  // the lowest; 0: not known
  std::uint32_t take = 1;
  std::int32_t before_log_ns = 0;  // the part of ran_ns before start_ns, the logged admission
  RunStatus status = RunStatus::running;
  std::uint8_t exit = 0;       // of an ended one: its exit code, or the number of its signal
  bool by_signal : 1 = false;  // a signal ended it
  bool unstarted : 1 = false;  // the command could not be started
  bool stopped : 1 = false;    // a taker sent it a signal
  bool replaced : 1 = false;   // by --on-busy=replace, on purpose, so that it counts as no trouble
  bool too_fast : 1 = false;   // successful, but shorter than nearly all before, or than
                               // --min-runtime

  bool was_replaced() const { return replaced && status == RunStatus::killed; }
  std::int64_t end_ns() const { return start_ns - before_log_ns + ran_ns; }
  // True if it ended by itself, so that `ran_ns` is its full run time.
  bool finished() const {
    return (status == RunStatus::success || status == RunStatus::failure) && !unstarted;
  }
};

// An event that is not a run.
struct Mark {
  enum class Kind : std::uint8_t { too_soon, busy, takeover };
  std::int64_t at_ns = 0;
  std::int64_t waited_ns = 0;  // of a refusal
  Kind kind = Kind::busy;
  std::uint8_t why = 0;  // of a refusal: index in kWhyNames
  bool by_kill = false;  // of a takeover: `atmost kill` stopped the holder, and took no place
};

struct LockStory {
  std::string name, path, host;      // as they are: escape them before showing
  std::int64_t max = 1;              // the N that was asked for last
  std::int64_t first_ns = 0;         // the first thing known, a request or a start
  std::int64_t last_ns = 0;          // the last line
  std::int64_t expire_after_ns = 0;  // the limit that a holder overstepped last; 0: none did
  // The moment until which requests are too soon, from a refusal since the last start; 0: there was
  // none
  std::int64_t next_ns = 0;
  std::uint64_t spam = 0;  // requests
  Spam spam_rule;
  std::vector<Run> runs;    // by start, once the ledger is closed
  std::vector<Mark> marks;  // in the order of the log
};

class RunLedger {
 public:
  // From now on the runs of a lock on each host are a story of their own: of several hosts' logs,
  // in which one path may be several locks, and one lock of a fleet has runs on all hosts.
  void tell_hosts_apart() { hosts_apart_ = true; }
  // The record is needed during the call only.
  void take(const history::Record& record);
  // After the last line: closes runs without an end, and sorts. No line may be taken afterwards.
  void close();

  std::vector<LockStory>& locks() { return locks_; }
  const std::vector<LockStory>& locks() const { return locks_; }
  bool empty() const { return locks_.empty(); }
  // The moments of the first and last line; 0 while there is none.
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }

 private:
  // Facts about a lock that are needed only until the end of the log.
  struct Open {
    std::unordered_map<std::int64_t, std::size_t> by_token;  // runs without an end
    std::unordered_map<std::int64_t, std::size_t> by_slot;   // the run that had the slot last
    std::int64_t last_start_ns = 0;                          // 0: none is known
    // A run that is to be replaced, and whose admission has not been logged yet.
    std::int64_t replaced_token = history::Record::kAbsent;
    std::unordered_set<std::int64_t> killed_tokens;  // runs that `atmost kill` is stopping
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::size_t lock_of(const history::Record& record);
  // The run that the record's holder_token names; nullptr if it is not known.
  static Run* holder_of(const history::Record& record, LockStory& story, const Open& open);
  void admitted(const history::Record& record, LockStory& story, Open& open);
  void ended(const history::Record& record, LockStory& story, Open& open);
  void denied(const history::Record& record, LockStory& story, const Open& open);
  void stopping(const history::Record& record, LockStory& story, Open& open);
  void signalled(const history::Record& record, LockStory& story, Open& open);
  void requested(LockStory& story, std::int64_t at_ns);

  std::vector<LockStory> locks_;
  std::vector<Open> open_;  // beside locks_
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> by_path_;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  bool hosts_apart_ = false;
  std::string key_;
};

}  // namespace atmost::report

#endif
