#include "options/option.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "options/combine.h"
#include "options/table.h"

namespace atmost {
namespace {

struct Library {
  Status set(std::string_view name, std::string_view value) {
    return set_option(*settings, name, value, kLibrary);
  }
  std::string error(std::string_view name, std::string_view value) {
    const Status status = set(name, value);
    return status.ok() ? "" : std::string(status.error().message.view());
  }
  std::string combined() {
    const Status status = combine(*settings, scheme_of(*settings), kLibrary);
    return status.ok() ? "" : std::string(status.error().message.view());
  }
  Request& request() { return settings->request; }
  std::unique_ptr<Settings> settings = std::make_unique<Settings>();
};

TEST(Option, ProgramsSpellNamesWithUnderscores) {
  Library one;
  EXPECT_EQ(one.error("if_elapsed", "15m"), "");
  EXPECT_EQ(one.request().if_elapsed, Duration::seconds(900));
  EXPECT_EQ(one.error("if-elapsed", "15m"),
            "if-elapsed: no option of the library; did you mean if_elapsed?");
  EXPECT_EQ(one.error("iff_elapsed", "15m"),
            "iff_elapsed: no option of the library; did you mean if_elapsed?");
  EXPECT_EQ(one.error("exec", ""), "exec: no option of the library");
  EXPECT_EQ(one.error("rate", "5"), "rate: \"5\" is not a rate: use K/DUR, for example 5/1m");
}

TEST(Option, ASwitchIsTrueOrFalse) {
  Library one;
  EXPECT_EQ(one.error("trust_fs", ""), "");
  EXPECT_TRUE(one.request().trust_fs && given(*one.settings, "trust-fs"));
  EXPECT_EQ(one.error("trust_fs", "false"), "");
  EXPECT_FALSE(one.request().trust_fs || given(*one.settings, "trust-fs"));
  EXPECT_EQ(one.error("trust_fs", "1"), "trust_fs: \"1\" is neither true nor false");
}

TEST(Option, RulesSpeakTheWordsOfTheCaller) {
  Library one;
  EXPECT_EQ(one.error("queue_max", "3"), "");
  EXPECT_EQ(one.combined(), "queue_max: this caller does not wait: give it with wait");
  Library links;
  EXPECT_EQ(links.error("store", "symlink:") + links.error("rate", "5/1m"), "");
  EXPECT_EQ(links.combined(),
            "rate: this store does not record so many admissions: use if_elapsed");
  Error error =
      error_of(Code::usage, 0, "--output-max: - --output=on-failure, --ttl. Well-kept --");
  put_in_words_of(kAtom, error);
  EXPECT_EQ(error.message.view(), "output_max: - output = \"on-failure\", ttl. Well-kept --");
  put_in_words_of(kRun, error);
  EXPECT_EQ(error.message.view(), "output_max: - output = \"on-failure\", ttl. Well-kept --");
}

TEST(Option, OneOptionSaysWhatAnotherIsByDefault) {
  Library readers;
  EXPECT_EQ(readers.error("shared", "true"), "");
  EXPECT_EQ(readers.combined(), "");
  EXPECT_EQ(readers.request().locks[0].max, kMaxSlots);
  EXPECT_EQ(readers.request().locks[0].mode, Mode::shared);
  Library join;
  EXPECT_EQ(join.error("on_busy", "join"), "");
  EXPECT_EQ(join.combined(), "");
  EXPECT_TRUE(join.request().wait.is_forever());
  Library skip;
  EXPECT_EQ(skip.error("on_busy", "skip"), "");
  EXPECT_EQ(skip.combined(),
            "on_busy = \"skip\": only changes an exit code, and a program has an answer: use fail");
}

TEST(Option, ALeaseIsAsLongAsItsGraceNeeds) {
  for (const auto& [ttl, wanted] : {std::pair{"", 21.5}, std::pair{"30s", 30.0}}) {
    const auto it = std::make_unique<Settings>();
    ASSERT_TRUE(set_option(*it, "store", "etcd://h/x", kRun).ok());
    ASSERT_TRUE(set_option(*it, "kill-grace", "9.5s", kRun).ok());
    if (*ttl != '\0') {
      ASSERT_TRUE(set_option(*it, "ttl", ttl, kRun).ok());
    }
    ASSERT_TRUE(combine(*it, scheme_of(*it), kRun).ok());
    EXPECT_EQ(static_cast<double>(it->request.ttl.ns) / 1e9, wanted);
  }
}

}  // namespace
}  // namespace atmost
