// The local store on a machine that fails: each call of an admission, a refusal, a wait and a
// release fails in turn. After any failing call no caller is admitted wrongly, nothing hangs, an
// error names its place, and nothing is left behind.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <functional>

#include "injector.h"
#include "os/clock.h"
#include "store/local/hints.h"
#include "unit/store/lock_kit.h"

namespace atmost::local {
namespace {

using fault::Fault;
using fault::Injector;

constexpr std::uint32_t kSlots = 3;
constexpr std::int64_t kEverything = 0;  // as a length: to the end of all bytes

class StoreFault : public ::testing::TestWithParam<Fault> {
 protected:
  // A world anew for each call that fails: slot 1 is a stranger's, the others are free.
  struct World {
    Directory directory{"/dev/shm"};  // hundreds of worlds: in memory, where there is some
    std::string path = directory.path();
    Outsider stranger{path};
    Outsider witness{path};
    World() {
      stranger.lock_slot(1);
      User(path, kSlots).ask();  // the file has seen an admission before
    }
  };
  using Prepare = std::function<void(World&)>;
  using Act = std::function<void(World&, User&)>;

  // Runs `act` once for every call it makes, that call failing.
  void each_call(std::uint32_t max, const Prepare& prepare, const Act& ready, const Act& act) {
    unsigned nth = 1;
    bool fired = true;
    for (; fired && nth < 2000; ++nth) {
      World world;
      prepare(world);
      {
        User user(world.path, max);
        user.request.kind = HolderKind::supervised;
        ready(world, user);
        const std::int64_t started = os::boot_ns();
        {
          Injector injector(nth, GetParam());
          act(world, user);
        }
        fired = Injector::fired();
        SCOPED_TRACE("call " + std::to_string(nth) + ": " + Injector::call());
        EXPECT_LT(os::boot_ns() - started, 4'000'000'000);
        check_holds(world, user);
        user.end();
      }
      SCOPED_TRACE("after call " + std::to_string(nth) + ": " + Injector::call());
      check_nothing_left(world);
      if (HasFailure()) return;
    }
    EXPECT_GT(nth, 4u);
    EXPECT_FALSE(fired);
  }

  // A granted slot is really held, and is not the stranger's.
  void check_holds(World& world, const User& user) {
    std::uint32_t held = 1;
    for (std::uint32_t slot : user.slots()) {
      EXPECT_GT(slot, 1u);
      EXPECT_LE(slot, user.request.locks[0].max);
      EXPECT_TRUE(world.stranger.sees_lock(slot_byte(slot))) << "granted, but not held: " << slot;
      ++held;
    }
    EXPECT_LE(held, user.request.locks[0].max < 1 ? 1 : kSlots);
  }
  void check_nothing_left(World& world) {
    EXPECT_FALSE(world.stranger.sees_lock(0, kEverything)) << "left locked";
    User next(world.path, kSlots);
    EXPECT_TRUE(next.store().set_drained(next.request, 0, false).ok());
    EXPECT_EQ(next.ask(), "admit");
    next.release();
    EXPECT_TRUE(world.witness.sees_lock(slot_byte(1)));  // the stranger's, all the while
  }
  // One attempt; an error has to say where.
  static void attempt(User& user, Ticket* queue = nullptr) {
    Result<Decision> answer = user.attempt(queue);
    if (answer.ok()) return;
    const std::string message = answer.error().message.c_str();
    EXPECT_EQ(message.rfind(user.request.locks[0].path.c_str(), 0), 0u) << message;
    EXPECT_FALSE(user.lease.held());
  }
  static void nothing(World&) {}
  static void not_yet(World&, User&) {}
};

TEST_P(StoreFault, Admission) {
  each_call(kSlots, nothing, not_yet, [](World&, User& user) { attempt(user); });
}

TEST_P(StoreFault, AdmissionThatMakesTheFile) {
  const auto remove = [](World& world) { ASSERT_EQ(unlink(world.path.c_str()), 0); };
  const auto make = [](World& world, User& user) {
    attempt(user);
    // The stranger's descriptor leads to the old file; a slot that is granted here is held in the
    // new one.
    Outsider witness(world.path);
    for (std::uint32_t slot : user.slots()) EXPECT_TRUE(witness.sees_lock(slot_byte(slot)));
    user.end();
    EXPECT_FALSE(witness.sees_lock(0, kEverything));
  };
  each_call(kSlots, remove, not_yet, make);
}

TEST_P(StoreFault, AdmissionOfSeveralSlotsBesideAHolderAbove) {
  const auto above = [](World& world) { ASSERT_TRUE(world.stranger.lock_slot(9)); };
  each_call(kSlots + 1, above, not_yet, [](World&, User& user) {
    user.request.locks[0].take = 2;
    attempt(user);
  });
}

TEST_P(StoreFault, Refusal) {
  each_call(1, nothing, not_yet, [](World&, User& user) {
    attempt(user);
    EXPECT_FALSE(user.lease.held());
  });
}

Status limit_to(std::uint32_t max, User& user) {
  Text<200> from;
  Text<200> to;
  LimitChange change;
  change.max = max;
  change.from = &from;
  change.to = &to;
  return user.store().set_limit(user.request, change);
}

TEST_P(StoreFault, ALimitOfRecordIsNeverPassed) {
  const auto limit = [](World& world) {
    User user(world.path, kSlots);
    ASSERT_TRUE(limit_to(2, user).ok());
  };
  each_call(kSlots, limit, not_yet, [](World& world, User& user) {
    const Outsider second(world.path);
    ASSERT_TRUE(second.lock_slot(2));
    attempt(user);
    EXPECT_FALSE(user.lease.held());
  });
}

// Else nobody would be admitted afterwards.
TEST_P(StoreFault, ALimitOfRecordIsSetAsAWholeOrNotAtAll) {
  each_call(kSlots, nothing, not_yet, [](World&, User& user) { (void)limit_to(2, user); });
}

TEST_P(StoreFault, RefusalBecauseOfTheTime) {
  each_call(kSlots, nothing, not_yet, [](World&, User& user) {
    user.request.if_elapsed = Duration::forever();
    attempt(user);
    EXPECT_FALSE(user.lease.held());
  });
}

TEST_P(StoreFault, QueueingAndWaiting) {
  each_call(1, nothing, not_yet, [](World&, User& user) {
    for (int step = 0; step < 2; ++step) {
      attempt(user, &user.ticket);
      EXPECT_FALSE(user.lease.held());
      if (!user.ticket.drawn) continue;
      (void)user.await(os::boot_ns() + 1'000'000);
    }
    user.withdraw();
  });
}

TEST_P(StoreFault, WaitingBehindAnother) {
  each_call(
      1, [](World& world) { ASSERT_TRUE(world.stranger.lock(queue_start(1) + 1)); }, not_yet,
      [](World&, User& user) {
        attempt(user, &user.ticket);
        if (user.ticket.drawn) (void)user.await(os::boot_ns() + 1'000'000);
        attempt(user, &user.ticket);
        EXPECT_FALSE(user.lease.held());
      });
}

TEST_P(StoreFault, AdmissionFromTheQueue) {
  const auto queued = [](World& world, User& user) {
    ASSERT_TRUE(world.stranger.lock_slot(2));
    ASSERT_EQ(user.queue(), "busy");
    ASSERT_TRUE(world.stranger.unlock(slot_byte(2)));
  };
  each_call(2, nothing, queued, [](World&, User& user) { attempt(user, &user.ticket); });
}

TEST_P(StoreFault, Release) {
  if (GetParam().for_good) GTEST_SKIP() << "then only the end of the process frees the slot";
  each_call(
      kSlots, nothing, [](World&, User& user) { ASSERT_EQ(user.ask(), "admit"); },
      [](World&, User& user) { user.lease.release(Ending::success, user.now); });
}

TEST_P(StoreFault, AProcessThatEndsLeavesNothingWhateverFailed) {
  for (unsigned nth = 1; nth < 12; ++nth) {
    World world;
    const pid_t child = fork();
    if (child == 0) {
      User user(world.path, kSlots);
      user.request.kind = HolderKind::supervised;
      if (user.ask() != "admit") _exit(1);
      Injector injector(nth, GetParam());
      user.lease.release(Ending::success, user.now);
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(world.stranger.sees_lock(0, kEverything));
    const Word word = world.witness.get<Word>(word_at(2));
    EXPECT_FALSE(word_lives(word)) << "the dead are believed to live: call " << nth;
  }
}

// The token in the file, read from outside.
std::uint64_t token_in(const Outsider& file) { return file.get<Header>(kHeaderAt).token; }

// All or none: a refused caller has not begun an interval either.
TEST_P(StoreFault, SeveralLocks) {
  each_call(kSlots, nothing, not_yet, [](World& world, User& user) {
    const std::uint64_t before = token_in(world.witness);
    user.request.lock_count = 2;
    user.request.locks[1] = user.request.locks[0];
    user.request.locks[1].path = kept(world.path + "2");
    Result<Decision> answer = user.attempt();
    if (answer.ok() && answer.value().verdict == Verdict::admit) {
      Outsider witness(world.path + "2");
      EXPECT_TRUE(witness.sees_lock(slot_byte(user.lease.lock(1).slots[0])));
    } else {
      EXPECT_FALSE(user.lease.held());
      EXPECT_TRUE(GetParam().for_good || token_in(world.witness) == before);
    }
  });
}

TEST_P(StoreFault, LookingAndDraining) {
  each_call(kSlots, nothing, not_yet, [](World&, User& user) {
    (void)user.store().inspect(user.request.locks[0], user.now, nullptr);
    (void)user.store().set_drained(user.request, 3, true);
    (void)user.store().set_drained(user.request, 0, true);
    (void)user.store().set_drained(user.request, 0, false);
    (void)user.store().forget(user.request);
  });
}

// A drained lock stays shut after any failure: a flag that cannot be read does not count as open.
TEST_P(StoreFault, ADrainedLockAdmitsNobody) {
  const auto drain = [](World& world) {
    User drainer(world.path);
    ASSERT_TRUE(drainer.store().set_drained(drainer.request, 0, true).ok());
  };
  unsigned nth = 1;
  for (bool fired = true; fired; ++nth) {
    World world;
    drain(world);
    User user(world.path, kSlots);
    {
      Injector injector(nth, GetParam());
      attempt(user);
    }
    fired = Injector::fired();
    EXPECT_FALSE(user.lease.held()) << Injector::call();
  }
}

std::string name_of(const ::testing::TestParamInfo<Fault>& info) {
  std::string name = info.param.error == 0 ? "Short" : strerrorname_np(info.param.error);
  return info.param.for_good ? name + "ForGood" : name;
}

INSTANTIATE_TEST_SUITE_P(Each, StoreFault,
                         ::testing::Values(Fault{0}, Fault{EINTR}, Fault{EIO}, Fault{ENOSPC},
                                           Fault{EMFILE}, Fault{ENOLCK}, Fault{EACCES},
                                           Fault{EDEADLK}, Fault{EIO, true}, Fault{ENOSPC, true},
                                           Fault{ENOLCK, true}, Fault{0, true}),
                         name_of);

}  // namespace
}  // namespace atmost::local
