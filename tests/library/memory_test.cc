// A program that takes locks for as long as it lives grows by nothing, however they are answered.
#include <fstream>

#include "library_kit.h"

namespace {

#if defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

class Memory : public Library {
 protected:
  // Pages of addresses, and of memory that is the program's own.
  struct Size {
    long addresses = 0, own = 0;
  };
  static Size size() {
    std::ifstream file("/proc/self/statm");
    Size found;
    long resident = 0, shared = 0;
    file >> found.addresses >> resident >> shared;
    found.own = resident - shared;
    return found;
  }

  // A free lock, a busy one, one that cannot be had and one of which the path is long.
  void ask_all() {
    atmost_lock* lock = nullptr;
    ASSERT_EQ(get_by("free", limits_, &lock), ATMOST_ADMITTED) << atmost_message();
    atmost_lock* second = nullptr;
    EXPECT_EQ(get_by("free", limits_, &second), ATMOST_BUSY);
    atmost_release(lock, 1);
    EXPECT_EQ(get_by(path("none/such"), limits_, &lock), ATMOST_CANNOT_CREATE);
    EXPECT_EQ(get_by(long_path_, limits_, &lock), ATMOST_ADMITTED) << atmost_message();
    atmost_release(lock, 1);
    unsigned held = 0;
    EXPECT_EQ(check_by("free", limits_, &held), ATMOST_ADMITTED);
  }
  void SetUp() override {
    Library::SetUp();
    limits_.set("no_history", true);
    std::string below = directory_;
    for (int i = 0; i < 14; ++i) {
      below += "/" + std::string(200, 'd');
      ASSERT_TRUE(std::filesystem::create_directory(below));
    }
    long_path_ = below + "/lock";
  }

  std::string long_path_;
};

TEST_F(Memory, DoesNotGrow) {
#ifdef ATMOST_MEMORY_SOAK
  constexpr int kTimes = 500'000;  // a million locks
#else
  constexpr int kTimes = 2000;
#endif
  for (int i = 0; i < 100; ++i) ask_all();
  const Size before = size();
  for (int i = 0; i < kTimes && !HasFailure(); ++i) ask_all();
  const Size after = size();
  EXPECT_LE(after.addresses - before.addresses, 16);
  // A sanitizer keeps what was given back.
  if (!kSanitized) {
    EXPECT_LE(after.own - before.own, 16);
  }
}

}  // namespace
