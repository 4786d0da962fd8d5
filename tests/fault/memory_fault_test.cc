// Memory for the texts of requests and for the sentences of errors: what is taken is given back,
// and without memory there is an answer.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <vector>

#include "core/parse.h"
#include "injector.h"
#include "os/calls.h"

namespace atmost::fault {
namespace {

// Counts the pages that are mapped and not given back.
class Pages {
 public:
  Pages() {
    mapped = 0;
    os::calls.mmap = [](void* at, std::size_t size, int protection, int flags, int fd, off_t from) {
      mapped += static_cast<long>(size);
      return real.mmap(at, size, protection, flags, fd, from);
    };
    os::calls.munmap = [](void* at, std::size_t size) {
      mapped -= static_cast<long>(size);
      return real.munmap(at, size);
    };
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { os::calls = real; }
  static long mapped;

 private:
  static const os::Calls real;
};
long Pages::mapped = 0;
const os::Calls Pages::real = os::calls;

bool keep(Arena& arena, std::string_view text, TextView& to) { return arena.keep({&text, 1}, to); }

TEST(Memory, AnArenaKeepsTextsAndGivesAllBack) {
  const Pages pages;
  char first[16];
  Arena arena(first);
  TextView small, large, larger;
  ASSERT_TRUE(keep(arena, "fifteen bytes..", small));
  EXPECT_EQ(Pages::mapped, 0);
  EXPECT_STREQ(small.c_str(), "fifteen bytes..");
  const std::string four_kib(4096, 'a'), many(100'000, 'b');
  ASSERT_TRUE(keep(arena, four_kib, large));
  ASSERT_TRUE(keep(arena, many, larger));
  EXPECT_EQ(large.view(), four_kib);
  EXPECT_EQ(larger.view(), many);
  EXPECT_EQ(larger.c_str()[many.size()], '\0');
  EXPECT_GT(Pages::mapped, 0);
  arena.clear();
  EXPECT_EQ(Pages::mapped, 0);
  ASSERT_TRUE(keep(arena, "again", small));
  EXPECT_EQ(small.c_str(), first);
}

TEST(Memory, AnArenaWithoutMemorySaysSoAndGoesOn) {
  char first[8];
  Arena arena(first);
  TextView text = "before";
  {
    const Injector no_memory(1, {ENOMEM, true});
    EXPECT_FALSE(keep(arena, "more than fits", text));
    EXPECT_EQ(text.view(), "before");
    EXPECT_TRUE(keep(arena, "fits", text));
  }
  EXPECT_TRUE(keep(arena, "more than fits", text));
  arena.clear();
}

TEST(Memory, ALockWithoutMemoryIsAnError) {
  ScopedArena texts;
  LockSpec lock;
  bool named = false;
  const std::string path = "/" + std::string(2000, 'p');
  const Injector no_memory(1, {ENOMEM, true});
  const Status placed = place_lock(path, {}, texts, lock, named);
  ASSERT_FALSE(placed.ok());
  EXPECT_EQ(placed.error().code, Code::internal);
  EXPECT_EQ(placed.error().message.view(), "out of memory");
}

TEST(Memory, ErrorsGiveBackTheirSentences) {
  const Pages pages;
  const Status first = error_of(Code::io, 5, "the first");
  {
    std::vector<Status> many;
    for (int i = 0; i < 100; ++i)
      many.push_back(error_of(Code::io, i, "number " + std::to_string(i)));
    const std::vector<Status> copies = many;
    for (int i = 0; i < 100; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(many[at].error().message.view(), "number " + std::to_string(i));
      EXPECT_EQ(copies[at].error().message.view(), many[at].error().message.view());
    }
    EXPECT_GT(Pages::mapped, 0);
  }
  EXPECT_EQ(Pages::mapped, 0);
  for (int i = 0; i < 1'000'000; ++i) {
    Result<int> failed = error_of(Code::io, i, "again");
    Result<int> moved = std::move(failed);
    failed = moved;
    moved = 7;
  }
  EXPECT_EQ(Pages::mapped, 0);
  EXPECT_EQ(first.error().message.view(), "the first");
}

TEST(Memory, AnErrorWithoutMemoryKeepsItsCode) {
  std::vector<Status> all;
  const Injector no_memory(1, {ENOMEM, true});
  while (!Injector::fired()) all.push_back(error_of(Code::not_permitted, EACCES, "a reason"));
  EXPECT_STREQ(Injector::call(), "mmap");
  const Error& last = all.back().error();
  EXPECT_EQ(last.code, Code::not_permitted);
  EXPECT_EQ(last.sys, EACCES);
  EXPECT_EQ(last.message.view(), "there is no memory left to say why");
  Status copy = all.back();
  EXPECT_EQ(copy.error().message.view(), last.message.view());
  all.pop_back();
  all.erase(all.begin());
  copy = error_of(Code::io, 0, "room again");
  EXPECT_EQ(copy.error().message.view(), "room again");
}

}  // namespace
}  // namespace atmost::fault
