#include "say.h"
#include "json/json.h"

#include <gtest/gtest.h>

namespace atmost::pass {
namespace {

Atom atom() {
  Atom atom;
  atom.operation = "copy";
  atom.operand = "a\x1b[2J";
  atom.when = "Hr02";
  return atom;
}

Outcome ran(int code, int signal = 0) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::ran;
  outcome.status = {code, signal, false};
  outcome.ran = Duration::seconds(3);
  return outcome;
}

Outcome refused(Verdict verdict, Why why) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::refused;
  outcome.decision.verdict = verdict;
  outcome.decision.why = why;
  outcome.decision.retry_in = Duration::seconds(90);
  outcome.decision.held = 1;
  return outcome;
}

TEST(Say, TellsWhatBecameOfAnAtom) {
  Outcome overran = ran(0, 15);
  overran.stopped = Stopped::max_runtime;
  Outcome overdue = ran(0);
  overdue.decision.victim_count = 1;
  Outcome broken;
  broken.error = error_of(Code::not_found, 2, "nothing: no such file");
  struct {
    AtomResult result;
    bool dry;
    bool attention;
    const char* words;
    const char* kind;
  } const kTable[] = {
      {{AtomResult::Kind::not_due, {}}, false, true, "not due: Hr02 does not hold", "not_due"},
      {{AtomResult::Kind::answered, ran(0)}, false, false, "ran 3s, exited with 0", "ran"},
      {{AtomResult::Kind::answered, ran(3)}, false, true, "ran 3s, exited with 3", "ran"},
      {{AtomResult::Kind::answered, ran(0, 9)}, false, true, "ran 3s, ended by SIGKILL", "ran"},
      {{AtomResult::Kind::answered, overran},
       false,
       true,
       "ran 3s, stopped: longer than its max_runtime",
       "ran"},
      {{AtomResult::Kind::answered, refused(Verdict::too_soon, Why::none)},
       false,
       false,
       "too soon: not before 1m30s",
       "too_soon"},
      {{AtomResult::Kind::answered, refused(Verdict::busy, Why::no_slot)},
       false,
       false,
       "busy: 1 of 1 run",
       "busy"},
      {{AtomResult::Kind::answered, refused(Verdict::busy, Why::ancestor)},
       false,
       false,
       "busy: this pass runs below it",
       "busy"},
      {{AtomResult::Kind::answered, refused(Verdict::busy, Why::survivor)},
       false,
       true,
       "busy: overdue, and its process could not be stopped",
       "busy"},
      {{AtomResult::Kind::answered, overdue},
       true,
       false,
       "would run, after stopping an overdue one",
       "would_take_over"},
      {{AtomResult::Kind::answered, ran(0)}, true, false, "would run", "would_run"},
      {{AtomResult::Kind::answered, broken}, false, true, "nothing: no such file", "failed"},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(words_of(atom(), row.result, row.dry), row.words);
    EXPECT_EQ(needs_attention(row.result.outcome), row.attention) << row.words;
    EXPECT_EQ(json_of(atom(), row.result, row.dry)
                  .rfind(std::string("{\"kind\":\"") + row.kind + "\"", 0),
              0U)
        << row.words;
  }
}

TEST(Say, EscapesNames) {
  EXPECT_EQ(escaped(atom().name()), "copy:a\\x1B[2J");
  EXPECT_NE(json_of(atom(), {}, false).find("\"copy:a\\u001b[2J\""), std::string::npos)
      << json_of(atom(), {}, false);
  const std::string lengthy(10'000, '\x01');
  EXPECT_EQ(escaped(lengthy).size(), 40'000U);
  EXPECT_EQ(json::quoted(lengthy).size(), 60'002U);
}

}  // namespace
}  // namespace atmost::pass
