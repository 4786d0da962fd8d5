// One format for every store.
#include "diagnosis/findings.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>

namespace atmost::diagnosis {
namespace {

struct Written {
  std::string text;
  Result<Code> verdict = Code::internal;
};

Written write_with(bool json, const std::function<void(Findings&)>& work) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  Written written;
  Findings findings(ends[1], json, "st\x1bore");
  work(findings);
  written.verdict = findings.verdict();
  close(ends[1]);
  char bytes[4096];
  for (ssize_t size; (size = read(ends[0], bytes, sizeof bytes)) > 0;)
    written.text.append(bytes, static_cast<std::size_t>(size));
  close(ends[0]);
  return written;
}

void mixed(Findings& findings) {
  findings.about("member");
  findings.say(Level::good, "an\x1b[2Jswer");
  findings.add({Level::doubtful, "room", "little", "it matters", "make room"}, Code::io);
  findings.add({Level::bad, "write", "no", "none can be admitted", {}}, Code::not_permitted);
  findings.say(Level::bad, "later", Code::unavailable);
}

TEST(Findings, AreColumnsForPeople) {
  const Written written = write_with(false, mixed);
  EXPECT_EQ(written.text,
            "ok    member          an\\x1B[2Jswer\n"
            "warn  room            little; it matters: make room\n"
            "FAIL  write           no; none can be admitted\n"
            "FAIL  member          later\n"
            "no: locks cannot be trusted in st\\x1Bore: no; none can be admitted\n");
  ASSERT_TRUE(written.verdict.ok());
  EXPECT_EQ(written.verdict.value(), Code::not_permitted);
}

TEST(Findings, AreObjectsForPrograms) {
  const Written written = write_with(true, mixed);
  const std::string store = ",\"store\":\"st\\u001bore\"}\n";
  EXPECT_EQ(
      written.text,
      "{\"level\":\"ok\",\"check\":\"member\",\"what\":\"an\\u001b[2Jswer\",\"why\":\"\","
      "\"advice\":\"\"" +
          store +
          "{\"level\":\"warn\",\"check\":\"room\",\"what\":\"little\",\"why\":\"it matters\","
          "\"advice\":\"make room\"" +
          store +
          "{\"level\":\"fail\",\"check\":\"write\",\"what\":\"no\",\"why\":\"none can be "
          "admitted\",\"advice\":\"\"" +
          store +
          "{\"level\":\"fail\",\"check\":\"member\",\"what\":\"later\",\"why\":\"\",\"advice\":"
          "\"\"" +
          store +
          "{\"level\":\"fail\",\"check\":\"verdict\",\"what\":\"no\",\"why\":\"no; none can be "
          "admitted\",\"advice\":\"\"" +
          store);
}

TEST(Findings, TheVerdictCountsWarnings) {
  const Written none = write_with(false, [](Findings&) {});
  EXPECT_EQ(none.text, "yes: locks can be trusted in st\\x1Bore: every trial went well\n");
  EXPECT_EQ(none.verdict.value(), Code::ok);
  const auto doubt = [](Findings& findings) { findings.say(Level::doubtful, "x"); };
  EXPECT_NE(
      write_with(false, doubt).text.find("\nyes: locks can be trusted in st\\x1Bore (1 warning)"),
      std::string::npos);
  EXPECT_NE(write_with(true, doubt)
                .text.find("{\"level\":\"warn\",\"check\":\"verdict\",\"what\":\"yes\""),
            std::string::npos);
}

TEST(Findings, AFullDiskIsAnError) {
  const int full = open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  Findings findings(full, false, "store");
  findings.say(Level::good, "x");
  const Result<Code> verdict = findings.verdict();
  close(full);
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code, Code::io);
  EXPECT_EQ(verdict.error().sys, ENOSPC);
}

}  // namespace
}  // namespace atmost::diagnosis
