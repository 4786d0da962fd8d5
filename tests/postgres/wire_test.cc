// Every message of the server spoiled in every way: no answer that is missing, malformed or late
// grants a lock, and each call ends in time.
#include <cstdio>
#include <map>
#include <random>

#include "fleet/job.h"
#include "fleet/variable.h"
#include "wire_kit.h"

namespace postgres_kit {
namespace {

const double kInTime = static_cast<double>(kTimeout.ns) / 1e9 + 1;

// `make check` takes a ninth of all pairs of message and fault; `make soak` all of them.
#ifdef ATMOST_TESTS_ALL
constexpr bool kAll = true;
#else
constexpr bool kAll = false;
#endif

class Wires : public Spoiled {
 protected:
  // One attempt behind the wire. `held`: by somebody else; then nothing may be granted.
  void attempt_with(Spoil how, int at, bool held, int column = 0, bool queues = false) {
    SCOPED_TRACE("spoil " + std::to_string(static_cast<int>(how)) + " of message " +
                 std::to_string(at) + " column " + std::to_string(column) +
                 (held ? ", held" : ", free"));
    free_all();
    auto other = caller(false);
    Lease others;
    if (held) {
      // The server may do the last one's request only now, and stand in the way.
      for (int tries = 0; tries < 5 && !others.held(); ++tries) {
        free_all();
        (void)ask(*other, others);
      }
      ASSERT_TRUE(others.held());
      // In a slot that we would not take: the key of the table does not save us from a holder that
      // was not seen.
      session_.ask("UPDATE atmost.holder SET slot = 2");
    }
    auto one = caller(true);
    Lease lease;
    wire_.spoil(how, at, false, column);
    Result<Decision> answer = atmost::error_of(atmost::Code::ok, 0, "");
    atmost::Ticket ticket;
    const double took = seconds_of([&] { answer = ask(*one, lease, queues ? &ticket : nullptr); });
    EXPECT_LT(took, kInTime);
    const bool granted = answer.ok() && answer.value().verdict == Verdict::admit;
    EXPECT_EQ(lease.held(), granted);
    EXPECT_FALSE(held && granted);
    const atmost::Code code = answer.ok() ? atmost::Code::unavailable : answer.error().code;
    EXPECT_EQ(code, atmost::Code::unavailable) << answer.error().message.c_str();
    if (granted) {
      // Our own view of our holds is the database's, and no more than that.
      EXPECT_EQ(session_.one("SELECT count(*), max(token) FROM atmost.holder"),
                "1|" + std::to_string(lease.lock(0).token));
    }
    if (!answer.ok()) ++errors_;
    if (granted) ++grants_;
    hit_ = wire_.hit();
    columns_ = wire_.columns();
    wire_.spoil(Spoil::nothing, 0);
    one->withdraw(ticket);
    lease = Lease();
  }

  // The same, and again if no such message came: on a machine that stood still the attempt may have
  // ended before its first answer.
  void attempt_until_hit(Spoil how, int at, bool held, int column = 0) {
    hit_ = false;
    for (int tries = 0; tries < 3 && !hit_ && !HasFailure(); ++tries)
      attempt_with(how, at, held, column);
  }

  int errors_ = 0;
  int grants_ = 0;
  bool hit_ = true;  // by the last attempt
  int columns_ = 0;
};

TEST_F(Wires, WithoutFaultsAllIsWell) {
  attempt_with(Spoil::nothing, 0, true);
  EXPECT_EQ(grants_ + errors_, 0);
  attempt_with(Spoil::nothing, 0, false);
  EXPECT_EQ(grants_, 1);
}

TEST_F(Wires, NoSpoiledMessageGrantsALock) {
  int last = 0;
  for (bool held : {true, false}) {
    hit_ = true;
    for (int at = 0; hit_; ++at) {
      hit_ = false;
      bool hit = false;
      for (int how = 1; how < kSpoils; ++how) {
        // Many take the whole timeout. A message that is missing is what could look most like an
        // empty answer.
        const bool always = held && static_cast<Spoil>(how) == Spoil::drop;
        if (!kAll && !always && (at + how) % 9 != 0) continue;
        attempt_until_hit(static_cast<Spoil>(how), at, held);
        if (HasFailure()) return;
        hit = hit || hit_;
      }
      hit_ = hit;
      last = at;
    }
  }
  EXPECT_GT(last, 40);     // messages, each of them spoiled
  EXPECT_GT(errors_, 10);  // the faults were noticed …
  EXPECT_GT(grants_, 10);  // … or mended by another try
}

TEST_F(Wires, NoMissingValueGrantsALock) {
  int values = 0;
  for (Spoil how : {Spoil::null_value, Spoil::text_value}) {
    hit_ = true;
    for (int at = 0; hit_; ++at) {
      int column = 0;
      do {
        attempt_until_hit(how, at, true, column);
        if (HasFailure()) return;
      } while (++column < columns_);
      values += columns_;
    }
  }
  EXPECT_GT(values, 50);
}

#ifdef ATMOST_TESTS_ALL
// Any fault in any message of callers who find the lock free or held, wait or do not.
TEST_F(Wires, TenThousandFaultsGrantNothing) {
  constexpr int kFaults = 10'000;
  constexpr int kMessages = 60;  // the last of an attempt are fewer
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](unsigned end) { return static_cast<int>(random() % end); };
  int kinds[kSpoils] = {};
  int faults = 0;
  int held_too = 0;
  while (faults < kFaults && !HasFailure()) {
    const int how = 1 + below(kSpoils - 1);
    const bool held = below(4) != 0;
    attempt_with(static_cast<Spoil>(how), below(kMessages), held, below(12), below(2) == 0);
    if (!hit_) continue;
    ++faults;
    ++kinds[how];
    held_too += held ? 1 : 0;
  }
  std::printf(
      "%d faults, %d of them with the lock held: %d errors, %d grants, all of them of a free "
      "lock\n",
      faults, held_too, errors_, grants_);
  for (int how = 1; how < kSpoils; ++how) std::printf("  fault %d: %d times\n", how, kinds[how]);
}

// The same through the program: nothing runs twice, and the exit code is right.
TEST_F(Wires, NoFaultMakesTheProgramLie) {
  constexpr int kRuns = 1'000;
  request_.locks[0].path = "postgres://there/lock.lock";  // as the program calls it
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const fleet_kit::Variable patience("ATMOST_POSTGRES_TIMEOUT", "300ms");
  const fleet_kit::Variable folder("ATMOST_DIR", directory_.path());
  std::map<int, int> codes[2];
  for (int i = 0; i < kRuns && !HasFailure(); ++i) {
    free_all();
    const bool held = i % 2 == 0;
    auto other = caller(false);
    Lease others;
    if (held) (void)ask(*other, others);
    wire_.spoil(static_cast<Spoil>(1 + random() % (kSpoils - 1)), static_cast<int>(random() % 60),
                false, static_cast<int>(random() % 12));
    const std::string ran = directory_.file("ran");
    std::filesystem::remove(ran);
    const int code =
        fleet_kit::Job({fleet_kit::atmost_program(), "run", "-q", "--no-history", "--store",
                        "postgres://postgres@/postgres?host=" + directory_.path(), "lock", "--",
                        "/bin/touch", ran})
            .wait(10)
            .value_or(-1);
    ++codes[held][code];
    const bool told = code == 69 || (held ? code == 75 : code == 0);
    EXPECT_TRUE(told) << code << (held ? ", held" : ", free");
    EXPECT_EQ(std::filesystem::exists(ran), code == 0);
    wire_.spoil(Spoil::nothing, 0);
  }
  for (const bool held : {false, true}) {
    std::printf("%s:", held ? "held" : "free");
    for (const auto& [code, count] : codes[held]) std::printf(" code %d %d times", code, count);
    std::printf("\n");
  }
  unsetenv("ATMOST_POSTGRES_TIMEOUT");
}
#endif

}  // namespace
}  // namespace postgres_kit
