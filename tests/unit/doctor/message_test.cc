#include "doctor/message.h"

#include <gtest/gtest.h>

#include <string>

namespace atmost::doctor {
namespace {

TEST(Messages, ComeThroughInPieces) {
  const std::string first("f1check\0what\0\0advice\0", 21);
  const std::string second("s0step\0\0\0\0", 10);
  MessageReader reader;
  Message message;
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    reader.feed(first.substr(i, 1));
    ASSERT_FALSE(reader.next(message)) << i;
  }
  reader.feed(first.substr(first.size() - 1) + second);
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(message.kind, Message::Kind::finding);
  EXPECT_EQ(message.finding.level, Level::doubtful);
  EXPECT_EQ(message.finding.check, "check");
  EXPECT_EQ(message.finding.what, "what");
  EXPECT_EQ(message.finding.why, "");
  EXPECT_EQ(message.finding.advice, "advice");
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(message.kind, Message::Kind::step);
  EXPECT_EQ(message.finding.check, "step");
  EXPECT_FALSE(reader.next(message));
}

}  // namespace
}  // namespace atmost::doctor
