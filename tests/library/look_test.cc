// The answers of atmost_list() and atmost_check(), beside what holders and waiters did.
#include <sys/wait.h>

#include <cmath>
#include <vector>

#include "library_kit.h"

namespace {

struct Seen {
  std::string state;
  unsigned slot;
  unsigned position;
  std::int64_t pid;
  std::int64_t user;
  std::uint64_t token;
  double age;
  double expires;
  std::string id;
};

int note(void* context, const atmost_entry* entry) {
  EXPECT_EQ(entry->size, sizeof *entry);
  static_cast<std::vector<Seen>*>(context)->push_back({entry->state, entry->slot, entry->position,
                                                       entry->pid, entry->user, entry->token,
                                                       entry->age, entry->expires, entry->id});
  return 0;
}

class Look : public Library {
 protected:
  std::vector<Seen> list(const char* file) {
    std::vector<Seen> seen;
    EXPECT_EQ(list_by(path(file).c_str(), {}, note, &seen), ATMOST_ADMITTED) << atmost_message();
    return seen;
  }
  int atmost(const std::string& arguments) const {
    const int status = system((std::string(getenv("ATMOST_BIN")) + "/atmost " + arguments).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Look, ListsHoldersAndWaiters) {
  EXPECT_TRUE(list("a").empty());
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  limits_.set("id", "first");
  limits_.set("max", 2);
  limits_.set("expire_after", 60);
  const atmost::Held one = atmost::Named(path("a")).get_lock(limits_);
  const atmost::Held two = atmost::Named(path("a")).get_lock(limits_);
  limits_.set("id", "third");
  limits_.set("wait", INFINITY);
  limits_.set("expire_after", INFINITY);
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(path("a").c_str(), limits_, &request), ATMOST_ADMITTED);
  ASSERT_TRUE(eventually([&] { return list("a").size() == 3; }));
  const std::vector<Seen> seen = list("a");
  EXPECT_EQ(seen[0].state, "held");
  EXPECT_EQ(seen[0].slot, 1u);
  EXPECT_EQ(seen[0].pid, getpid());
  EXPECT_EQ(seen[0].user, static_cast<std::int64_t>(geteuid()));
  EXPECT_EQ(seen[0].token, one.token());
  EXPECT_EQ(seen[0].id, "first");
  EXPECT_GE(seen[0].age, 0);
  EXPECT_NEAR(seen[0].age + seen[0].expires, 60, 0.001);
  EXPECT_EQ(seen[1].slot, 2u);
  EXPECT_EQ(seen[2].state, "waiting");
  EXPECT_EQ(seen[2].position, 1u);
  EXPECT_EQ(seen[2].id, "third");
  EXPECT_TRUE(std::isinf(seen[2].expires));
  atmost_cancel(request);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_INTERRUPTED);
}

TEST_F(Look, EndsWhenTheCallerHasEnough) {
  limits_.set("max", 3);
  const atmost::Held one = atmost::Named(path("a")).get_lock(limits_);
  const atmost::Held two = atmost::Named(path("a")).get_lock(limits_);
  int calls = 0;
  const auto first = [](void* context, const atmost_entry*) {
    ++*static_cast<int*>(context);
    return 1;
  };
  EXPECT_EQ(list_by(path("a").c_str(), {}, first, &calls), ATMOST_ADMITTED);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(list_by(path("a").c_str(), {}, nullptr, &calls), ATMOST_USAGE);
}

TEST_F(Look, ListsWhatIsDrained) {
  ASSERT_EQ(atmost("drain --create " + path("a")), 0);
  const std::vector<Seen> seen = list("a");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].state, "drained");
  EXPECT_EQ(seen[0].slot, 0u);
}

TEST_F(Look, AFileThatCannotBeReachedIsNoLockThatNobodyUsed) {
  std::filesystem::create_directory_symlink("loop", path("loop"));
  EXPECT_EQ(check_by(path("loop/a").c_str(), {}, nullptr), ATMOST_IO);
  EXPECT_EQ(list_by(path("loop/a").c_str(), {}, note, nullptr), ATMOST_IO);
  EXPECT_EQ(check_by(path("missing/a").c_str(), {}, nullptr), ATMOST_ADMITTED);
}

TEST_F(Look, SaysWhetherOneMoreWouldBeAdmitted) {
  unsigned held_now = 77;
  EXPECT_EQ(check_by(path("a").c_str(), {}, &held_now), ATMOST_ADMITTED);
  EXPECT_EQ(held_now, 0u);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  limits_.set("max", 2);
  const atmost::Held one = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(check_by(path("a").c_str(), limits_, &held_now), ATMOST_ADMITTED);
  EXPECT_EQ(held_now, 1u);
  const atmost::Held two = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_EQ(two.slot(), 2u);  // nothing was kept by the look
  EXPECT_EQ(check_by(path("a").c_str(), limits_, &held_now), ATMOST_BUSY);
  EXPECT_STREQ(atmost_why(), "no_slot");
  EXPECT_EQ(held_now, 2u);
  limits_.set("max", 3);
  limits_.set("if_elapsed", 900);
  limits_.set("wait", 100);  // is not waited
  EXPECT_EQ(check_by(path("a").c_str(), limits_, nullptr), ATMOST_TOO_SOON);
  EXPECT_GT(atmost_retry_in(), 800);
}

}  // namespace
