// A lock file whose slots are held by another process, with the hints that a test wants.
#ifndef ATMOST_TESTS_UNIT_STORE_SLOTS_KIT_H
#define ATMOST_TESTS_UNIT_STORE_SLOTS_KIT_H

#include <gtest/gtest.h>

#include "lock_kit.h"
#include "os/self.h"
#include "store/local/hints.h"

namespace atmost::local {

using Numbers = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kNobody = 0x3fffff00;  // a thread id that no machine has

class Slots : public ::testing::Test {
 protected:
  // A header that is good for this file and this boot, so that words count.
  void good_header(std::uint64_t boot = os::boot_hash(), std::uint64_t token = 0) {
    struct stat status;
    ASSERT_EQ(fstat(file_.fd(), &status), 0);
    Header header = {};
    header.token = token;
    ASSERT_EQ(write_header(file_.fd(), {status.st_dev, status.st_ino, boot}, header), 0);
  }
  void word(std::uint32_t slot, std::uint32_t thread) { file_.put(thread, word_at(slot)); }
  void index(std::uint64_t value) { file_.put(value, kIndexAt); }
  // Every slot of a lock of kAll is held, and has the word of one that lives.
  static constexpr std::uint32_t kAll = 5000;
  void all_live() {
    good_header();
    index(static_cast<std::uint64_t>(slot_byte(kAll)));
    for (std::uint32_t slot = 1; slot <= kAll; ++slot) word(slot, kNobody);
    ASSERT_TRUE(foreign_.lock(slot_byte(1), kAll));
  }

  Directory directory_;
  const std::string path_ = directory_.path();
  Outsider file_{path_};
  Outsider foreign_{path_};
};

}  // namespace atmost::local

#endif
