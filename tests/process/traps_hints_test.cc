// Every byte of the file may be stale, torn, zeroed or forged: locks are the truth.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <random>

#include "store/local/hints.h"
#include "traps_stage.h"

namespace witness {
namespace {

namespace layout = atmost::local;

class Hints : public Stage {
 protected:
  void change(const std::function<void(int)>& how) {
    const int fd = open(lock_.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    how(fd);
    close(fd);
  }
  std::uint64_t index() {
    std::uint64_t value = 0;
    change([&](int fd) { EXPECT_EQ(pread(fd, &value, sizeof value, 0), 8); });
    return value;
  }
  void set_index(std::uint64_t value) {
    change([&](int fd) { EXPECT_EQ(pwrite(fd, &value, sizeof value, 0), 8); });
  }

  // Two of ours and two strangers inside; then the file is changed; then nothing may have changed.
  void expect_four_inside_whatever_happens_to(const std::function<void(int)>& bytes) {
    std::vector<Tag> holders{hold(run({"-n", "4"})), hold(stranger(4)),
                             hold(run({"-n", "4", "--exec"})), hold(stranger(4))};
    ASSERT_EQ(probe_.slots_held(8), 4u);
    change(bytes);
    EXPECT_EQ(try_run({"-n", "4"}).end, "exit 75");
    EXPECT_EQ(try_run({"-n", "2"}).end, "exit 75");
    change(bytes);
    holders.push_back(hold(run({"-n", "5"})));
    EXPECT_EQ(slot_of(holders.back()), 5u);
    EXPECT_EQ(try_run({"-n", "5"}).end, "exit 75");
    change(bytes);
    for (Tag tag : holders) let_go(tag);
    for (Tag tag : holders) EXPECT_EQ(end_of(tag), "exit 0");
    EXPECT_TRUE(eventually(Bound(1000), [&] { return probe_.slots_held(8) == 0; }));
    EXPECT_EQ(try_run({"-n", "4", "-k", "4"}).end, "exit 0");
  }
};

TEST_F(Hints, WipedBehindTheIndex) {
  expect_four_inside_whatever_happens_to([](int fd) {
    struct stat facts;
    ASSERT_EQ(fstat(fd, &facts), 0);
    ASSERT_EQ(ftruncate(fd, 8), 0);
    ASSERT_EQ(ftruncate(fd, facts.st_size), 0);
  });
}

TEST_F(Hints, CutBehindTheIndex) {
  expect_four_inside_whatever_happens_to([](int fd) { ASSERT_EQ(ftruncate(fd, 8), 0); });
}

// The supervisors have a page of the file mapped: none may die of SIGBUS.
TEST_F(Hints, Emptied) {
  expect_four_inside_whatever_happens_to([](int fd) { ASSERT_EQ(ftruncate(fd, 0), 0); });
}

void write_at(int fd, const std::string& bytes, std::int64_t at) {
  ASSERT_EQ(pwrite(fd, bytes.data(), bytes.size(), at), static_cast<ssize_t>(bytes.size()));
}

// The offsets of hints: behind the header's magic and version, and in every table. A slot's flags
// are left as they are: they say that somebody drained it, and are obeyed.
void overwrite_hints(int fd, const std::function<char()>& byte) {
  std::string bytes(16'384, '\0');
  for (std::int64_t at : {layout::kHeaderAt + 12, layout::kMemoryAt, layout::kWaitersAt,
                          layout::kWordsAt, layout::kRecordsAt}) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = at == layout::kWordsAt && i % sizeof(layout::Word) >= sizeof(layout::Word::thread)
                     ? '\0'
                     : byte();
    }
    write_at(fd, bytes, at);
  }
}

TEST_F(Hints, Noise) {
  std::mt19937_64 random(7);
  expect_four_inside_whatever_happens_to(
      [&](int fd) { overwrite_hints(fd, [&] { return static_cast<char>(random()); }); });
}

TEST_F(Hints, AllOnes) {
  expect_four_inside_whatever_happens_to(
      [](int fd) { overwrite_hints(fd, [] { return '\xff'; }); });
}

// With 0 there the original finds no slot to look at and refuses for ever.
TEST_F(Hints, IndexZeroIsRepaired) {
  set_index(0);
  Argv original = stranger(1);
  original.push_back("/bin/true");
  ASSERT_EQ(ask(original).end, "exit 1") << "the stand-in does not have the original's trap";
  EXPECT_EQ(try_run({}).end, "exit 0");
  EXPECT_GE(index(), 8u);
  EXPECT_EQ(ask(original).end, "exit 0");
}

// The original would ask about every byte up to it.
TEST_F(Hints, AbsurdIndexIsRepaired) {
  for (std::uint64_t absurd : {std::uint64_t{1} << 62, ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    set_index(absurd);
    EXPECT_EQ(try_run({}).end, "exit 0");
    EXPECT_LE(index(), 8u + atmost::kMaxSlots) << absurd;
    EXPECT_GE(index(), 8u);
  }
}

TEST_F(Hints, IndexCoversEverySlotInUse) {
  std::vector<Tag> holders;
  for (unsigned slot = 1; slot <= 3; ++slot) {
    holders.push_back(hold(run({"-n", "3"})));
    EXPECT_GE(index(), 7u + slot);
  }
  EXPECT_EQ(ask({helper("plain_scan"), lock_, "3", "/bin/true"}).end, "exit 1");
}

// Slot 4 is free, but by its word a living process holds it. A forged word may cost a refusal, not
// all of them.
TEST_F(Hints, AForgedWordDoesNotShutASlotForEver) {
  for (int i = 0; i < 3; ++i) hold(run({"-n", "4"}));
  EXPECT_TRUE(eventually(kBound, [&] {
    change([](int fd) {
      const layout::Word word{static_cast<std::uint32_t>(getpid()), 0};
      ASSERT_EQ(pwrite(fd, &word, sizeof word, layout::word_at(4)),
                static_cast<ssize_t>(sizeof word));
    });
    return try_run({"-n", "4"}).end == "exit 0";
  }));
}

// Records name a process that has nothing to do with the lock, or cannot be one. No process is
// signalled, refused for ever or admitted because of them.
TEST_F(Hints, ForgedPids) {
  const Tag innocent = hold({});
  const Tag first = hold(run({"-n", "2"}));
  const Tag second = hold(run({"-n", "2", "--exec"}));
  const std::vector<std::uint32_t> pids{static_cast<std::uint32_t>(pid_of(innocent)),
                                        static_cast<std::uint32_t>(getpid()), 1, 0, 0xffffffff};
  for (std::uint32_t pid : pids) {
    SCOPED_TRACE("forged pid " + std::to_string(pid));
    change([&](int fd) {
      for (std::uint32_t slot : {1u, 2u}) {
        layout::Record record;
        ASSERT_TRUE(layout::read_record(fd, slot, record));
        record.pid = pid;
        ASSERT_EQ(layout::write_record(fd, record), 0);
      }
    });
    EXPECT_EQ(try_run({"-n", "2"}).end, "exit 75");
    EXPECT_EQ(try_run({"-n", "3"}).end, "exit 0");
    EXPECT_EQ(ask({under_test("atmost"), "list", lock_}).end, "exit 0");
  }
  // The forged holder is an ancestor of this one; it waits nevertheless.
  const Tag waiter = queue(run({"-n", "2", "-w", "inf"}));
  for (Tag tag : {first, second}) {
    let_go(tag);
    EXPECT_EQ(end_of(tag), "exit 0");
  }
  EXPECT_TRUE(comes_inside(waiter));
  EXPECT_TRUE(inside(innocent));
  let_go(innocent);
  EXPECT_EQ(end_of(innocent), "exit 0");
}

// A refusal leaves the file as it was: waiters are woken by writes.
TEST_F(Hints, ARefusalWritesNothing) {
  hold(run({}));
  struct stat before;
  struct stat after;
  ASSERT_EQ(stat(lock_.c_str(), &before), 0);
  const std::string content = read_file(lock_);
  EXPECT_EQ(try_run({}).end, "exit 75");
  EXPECT_EQ(ask({under_test("atmost"), "check", "-n", "1", lock_}).end, "exit 75");
  ASSERT_EQ(stat(lock_.c_str(), &after), 0);
  EXPECT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  EXPECT_EQ(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
  EXPECT_TRUE(content == read_file(lock_));
}

}  // namespace
}  // namespace witness
