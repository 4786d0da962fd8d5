// A lock file with its holders and waiters, each of which leaves on an order from outside.
#ifndef ATMOST_TESTS_PROCESS_TRAPS_STAGE_H
#define ATMOST_TESTS_PROCESS_TRAPS_STAGE_H

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "witness_log.h"
#include "witness_world.h"

namespace witness {

// The words and the end of a program that ran to its end.
struct Answer {
  std::string end;  // words(status)
  std::string output;
  std::string errors;
  std::int64_t took_ns = 0;
};

class Stage : public ::testing::Test {
 protected:
  using Tag = unsigned;
  static constexpr Bound kBound{10'000};

  ~Stage() override;

  // `atmost run OPTIONS LOCK --`; the stage's command comes behind it.
  Argv run(const Argv& options) const;
  Argv stranger(unsigned limit) const {
    return {helper("plain_scan"), lock_, std::to_string(limit)};
  }

  // Starts `before` with a witness as its command. It stays inside until let_go().
  Tag start(const Argv& before);
  // The same, and returns when it is inside.
  Tag hold(const Argv& before);
  // The same, and returns when its ticket is seen in the queue.
  Tag queue(const Argv& before);

  bool inside(Tag tag);  // began, and not ended
  bool comes_inside(Tag tag, Bound bound = kBound) {
    return eventually(bound, [&] { return inside(tag); });
  }
  unsigned slot_of(Tag tag);
  pid_t pid_of(Tag tag) const {
    return pids_.at(tag);
  }  // of the program that was started, not of the witness
  void let_go(Tag tag);
  std::string end_of(Tag tag);  // waits for it; "" when it does not end
  std::vector<Tag> order();     // in which they came inside

  // Runs a program to its end.
  Answer ask(const Argv& argv, Bound bound = kBound);
  // Runs `atmost run OPTIONS LOCK -- true`.
  Answer try_run(const Argv& options);

  TempDir directory_;
  const std::string lock_ = directory_.file("lock");
  World world_;
  Probe probe_{lock_};

 private:
  void read_log();

  Log log_{directory_.file("witness.log")};
  std::vector<pid_t> pids_;
  std::vector<int> gates_;
  std::vector<Tag> order_;
  std::map<Tag, Record> inside_;
  std::int64_t last_ticket_ = kTickets - 1;
};

}  // namespace witness

#endif
