#include "page.h"

#include <gtest/gtest.h>

#include "kit.h"
#include "summary.h"

namespace atmost::report {
namespace {

TEST(Page, WhatIsTooShortToTellIsTextToo) {
  Script script;
  script.admitted(0, 1).ended(0.0001, 1, 0.0001).busy(1000);
  script.ledger.close();
  const std::vector<Summary> locks = summarise(script.ledger);
  std::string page = page_html(script.ledger, locks, {}, 0, kBegin);
  page.resize(page.find("<script"));
  EXPECT_EQ(page.find("<1ms"), std::string::npos);
  EXPECT_EQ(page.find("<0.1"), std::string::npos);
  EXPECT_NE(page.find("&lt;1ms"), std::string::npos);
  EXPECT_NE(page.find("&lt;0.1 %"), std::string::npos);
  EXPECT_EQ(timeline_svg(locks[0], kBegin, kBegin + kSecond).find("<1ms"), std::string::npos);
}

TEST(Page, WhatIsPutInIsNotLookedAtAgain) {
  Script script;
  script.lock = "{{DATA}}{{SCRIPT}}";
  script.admitted(0, 1);
  script.ledger.close();
  const std::string page = page_html(script.ledger, summarise(script.ledger), {}, 0, kBegin);
  EXPECT_NE(page.find(">{{DATA}}{{SCRIPT}}</a>"), std::string::npos);
}

TEST(Page, StaysSmallHoweverManyLocksAndEventsThereAre) {
  Script many;
  for (int lock = 0; lock < 700; ++lock) {
    many.lock = "job-" + std::to_string(lock) + std::string(300, '<');
    for (int i = 0; i < 150; ++i) {
      many.admitted(i * 100 + lock, i, 1, 7)
          .ended(i * 100 + lock + 60, i, 60)
          .busy(i * 100 + lock + 3);
    }
  }
  many.ledger.close();
  const std::string page = page_html(many.ledger, summarise(many.ledger), {}, 0, kBegin);
  EXPECT_LT(page.size(), 5u << 20);
  EXPECT_NE(page.find("200 quieter locks are not shown"), std::string::npos);
}

}  // namespace
}  // namespace atmost::report
