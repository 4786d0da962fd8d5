// Every message of the server spoiled in every way: no answer that is missing, malformed or late grants a lock, and each
// call ends in time.
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
  void attempt_with(Spoil how, int at, bool held, int column = 0) {
    SCOPED_TRACE("spoil " + std::to_string(static_cast<int>(how)) + " of message " + std::to_string(at) +
                 " column " + std::to_string(column) + (held ? ", held" : ", free"));
    free_all();
    auto other = store(false);
    Lease others;
    if (held) {
      Result<Decision> taken = ask(*other, others);
      ASSERT_TRUE(others.held()) << (taken.ok() ? "" : taken.error().message.c_str());
      // In a slot that we would not take: the key of the table does not save us from a holder that was not seen.
      session_.ask("UPDATE atmost.holder SET slot = 2");
    }
    const auto one = store(true);
    Lease lease;
    wire_->spoil(how, at, false, column);
    Result<Decision> answer = atmost::error_of(atmost::Code::ok, 0, "");
    const double took = seconds_of([&] { answer = ask(*one, lease); });
    EXPECT_LT(took, kInTime);
    const bool granted = answer.ok() && answer.value().verdict == Verdict::admit;
    EXPECT_EQ(lease.held(), granted);
    EXPECT_FALSE(held && granted);
    const atmost::Code code = answer.ok() ? atmost::Code::unavailable : answer.error().code;
    EXPECT_EQ(code, atmost::Code::unavailable) << answer.error().message.c_str();
    if (granted) {
      // What we think we hold is what the database says, and no more than that.
      EXPECT_EQ(session_.one("SELECT count(*), max(token) FROM atmost.holder"),
                "1|" + std::to_string(lease.lock(0).token));
    }
    if (!answer.ok()) ++errors_;
    if (granted) ++grants_;
    hit_ = wire_->hit();
    columns_ = wire_->columns();
    wire_->spoil(Spoil::nothing, 0);
    lease = Lease();
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
        // Many take the whole timeout. A message that is missing is what could look most like an empty answer.
        const bool always = held && static_cast<Spoil>(how) == Spoil::drop;
        if (!kAll && !always && (at + how) % 9 != 0) continue;
        attempt_with(static_cast<Spoil>(how), at, held);
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
        attempt_with(how, at, true, column);
        if (HasFailure()) return;
      } while (++column < columns_);
      values += columns_;
    }
  }
  EXPECT_GT(values, 50);
}

}  // namespace
}  // namespace postgres_kit
