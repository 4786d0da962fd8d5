// Several locks at once, and a writer among readers.
#include <fcntl.h>
#include <unistd.h>

#include "together_kit.h"

namespace witness {
namespace {

TEST(Together, NoDeadlockAndNoOverlap) {
  Crowd crowd;
#ifdef ATMOST_TESTS_SLOW
  crowd.callers = 150;
  crowd.at_once = 12;
#endif
  expect_no_deadlock_and_no_overlap(crowd);
}

// One after the other, each beginning before the one before ends, so that there is always a reader
// inside.
TEST(Readers, AWriterIsInWhenThoseHaveLeftWhoWereInBefore) {
  TempDir directory;
  World world;
  Log log(directory.file("witness.log"));
  const std::string lock = directory.file("lock");
  int gates[4][2];
  for (auto& gate : gates) ASSERT_EQ(pipe2(gate, O_CLOEXEC), 0);
  const auto start = [&](const char* mode, unsigned tag, int gate) {
    Streams streams;
    streams.in = gate;
    return world.start({under_test("atmost"), "run", "-q", "--no-history", "-w", "inf", mode, lock,
                        "--", helper("witness"), log.path(), "tag=" + std::to_string(tag), "gate"},
                       streams);
  };
  std::string order;  // '1' came inside, 'a' left
  std::int64_t left_ns = 0;
  std::int64_t writer_ns = 0;
  constexpr unsigned kWriter = 3;
  const auto inside = [&](std::size_t marks) {
    return eventually(Bound(20'000), [&] {
      log.read_new([&](const Record& record) {
        order +=
            static_cast<char>((record.kind == '+' ? '0' : 'a' - 1) + static_cast<int>(record.tag));
        if (record.kind == '-') left_ns = record.ns;
        if (record.kind == '+' && record.tag == kWriter) writer_ns = record.ns;
      });
      return order.size() >= marks;
    });
  };
  const auto waits = [&](pid_t pid) {
    return eventually(Bound(20'000), [&] {
      return world.run(
                 {"/bin/sh", "-c",
                  "\"$0\" list --json \"$1\" | grep -q '\"pid\":'$2',.*\"state\":\"waiting\"'",
                  under_test("atmost"), lock, std::to_string(pid)}) == 0;
    });
  };
  start("--shared", 1, gates[0][0]);
  ASSERT_TRUE(inside(1));
  start("--shared", 2, gates[1][0]);
  ASSERT_TRUE(inside(2));
  const pid_t writer = start("--exclusive", kWriter, gates[2][0]);
  ASSERT_TRUE(waits(writer));
  const pid_t late = start("--shared", 4, gates[3][0]);
  ASSERT_TRUE(waits(late)) << "a reader overtook a waiting writer: " << order;

  ASSERT_EQ(write(gates[0][1], "g", 1), 1);
  ASSERT_TRUE(inside(3));
  ASSERT_EQ(write(gates[1][1], "g", 1), 1);
  ASSERT_TRUE(inside(5));
  const std::int64_t took_ns = writer_ns - left_ns;
  ASSERT_EQ(write(gates[2][1], "g", 1), 1);
  ASSERT_TRUE(inside(7));
  ASSERT_EQ(write(gates[3][1], "g", 1), 1);
  ASSERT_TRUE(inside(8));
  EXPECT_EQ(order, "12ab3c4d");
  std::cout << "the writer was in " << static_cast<double>(took_ns) / 1e6
            << " ms after the last reader\n";
  EXPECT_LT(took_ns, 1'000'000'000);
  for (auto& gate : gates) {
    close(gate[0]);
    close(gate[1]);
  }
}

}  // namespace
}  // namespace witness
