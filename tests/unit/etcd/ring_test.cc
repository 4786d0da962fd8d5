#include "store/etcd/ring.h"

#include <gtest/gtest.h>

namespace atmost::etcd {
namespace {

constexpr std::int64_t kS = 1'000'000'000;
constexpr Rate kTwoAMinute = {2, Duration::seconds(60)};
constexpr std::uint64_t kHere = 1;
constexpr std::uint64_t kThere = 2;
// The lead of the other machine's clock over ours.
constexpr std::int64_t kAhead = 5000 * kS;

Instant at(std::int64_t seconds) {
  return {1'700'000'000 * kS + seconds * kS, seconds * kS, false};
}
Ring::Entry here(std::int64_t seconds) { return {kHere, seconds * kS, at(seconds).real_ns / 1000}; }
Ring::Entry there(std::int64_t seconds) {
  return {kThere, kAhead + seconds * kS, at(seconds).real_ns / 1000};
}
Ring ring_of(std::vector<Ring::Entry> entries, std::uint32_t kept = 2) {
  Ring ring;
  ring.kept = kept;
  ring.entries = std::move(entries);
  return ring;
}
// The knowledge of `place` when it sees the ring at `seconds` by its own clock.
Admissions seen_by(std::uint64_t place, const Ring& ring, std::int64_t seconds) {
  Admissions to;
  to.see(ring, place, at(seconds), seconds * kS);
  return to;
}

Stamp of_last(const Admissions& seen, std::size_t back) {
  const std::vector<Stamp> all = seen.stamps();
  return all.at(all.size() - back);
}

TEST(Ring, ItsTextSaysAll) {
  Ring ring = ring_of({here(10), there(20), {0, 0, 7}});
  ring.window_ns = 60 * kS;
  ring.dropped = true;
  ring.meetings = {{kHere, kThere, -kAhead, 21 * kS}};
  const std::optional<Ring> read = parse_ring(ring.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), ring.text());
  EXPECT_EQ(read->entries[1].place, kThere);
  EXPECT_EQ(read->entries[1].boot_ns, kAhead + 20 * kS);
  EXPECT_EQ(read->meetings[0].ahead_ns, -kAhead);
  EXPECT_TRUE(read->dropped);
}

TEST(Ring, WhatAtmostDoesNotWriteIsNoRing) {
  const std::string good =
      R"({"at":[[0,1,2,0]],"dropped":false,"kept":1,"met":[],"places":[9],"window":0})";
  ASSERT_TRUE(parse_ring(good));
  for (const auto& [part, wrong] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[[0,1,2,0]]", "[[1,1,2,0]]"},
           {"[[0,1,2,0]]", "[[-1,1,2,0]]"},
           {"[[0,1,2,0]]", "[[0,1]]"},
           {"[[0,1,2,0]]", "[[0,1,2,0,0]]"},
           {"[[0,1,2,0]]", "[[0,1,\"2\",0]]"},
           {"[9]", "[-9]"},
           {"\"kept\":1", "\"kept\":1025"},
           {"\"met\":[]", "\"met\":[[0,1,2,3]]"},
           {"\"window\":0", "\"other\":0"}}) {
    std::string text = good;
    text.replace(text.find(part), std::string(part).size(), wrong);
    EXPECT_FALSE(parse_ring(text)) << text;
  }
}

// The key stays for good, so a version finds what the one before it wrote.
TEST(Ring, ThatOfAnEarlierVersionCounts) {
  const std::optional<Ring> read =
      parse_ring(R"({"at":[[0,1,2]],"dropped":false,"kept":1,"met":[],"places":[9],"window":0})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->entries, (std::vector<Ring::Entry>{{9, 1, 2, 0}}));
}

TEST(Ring, ThisMachinesClockIsExact) {
  const Admissions seen = seen_by(kHere, ring_of({here(10), here(30)}), 40);
  EXPECT_EQ(seen.due_boot_ns(kTwoAMinute, at(40)), 70 * kS);
  EXPECT_EQ(seen.due_boot_ns(kTwoAMinute, at(70)), 0);
  EXPECT_EQ(seen.stamps().size(), 2u);
  EXPECT_FALSE(seen.has_news());
}

TEST(Ring, AnothersAdmissionIsAsOldAsItWasSeen) {
  const Admissions seen = seen_by(kHere, ring_of({there(10), there(30)}), 40);
  // The newest may have been made just now, and the other 20 s before.
  EXPECT_EQ(of_last(seen, 1).boot_ns, 40 * kS);
  EXPECT_EQ(of_last(seen, 2).boot_ns, 20 * kS);
  EXPECT_TRUE(seen.has_news());
}

TEST(Ring, TheLeastDifferenceThatWasSeenCounts) {
  Admissions seen = seen_by(kHere, ring_of({there(10)}), 40);
  seen.see(ring_of({there(10), there(50)}), kHere, at(51), 51 * kS);
  EXPECT_LE(of_last(seen, 2).boot_ns, 11 * kS + kS / 10);
  EXPECT_GE(of_last(seen, 2).boot_ns, 10 * kS);
  // A later look proves less.
  seen.see(ring_of({there(10), there(50)}), kHere, at(100), 100 * kS);
  EXPECT_LE(of_last(seen, 1).boot_ns, 51 * kS + kS / 10);
}

TEST(Ring, LaterCallersOfTheMachineKnowWhatOneHasSeen) {
  const Ring left = seen_by(kHere, ring_of({there(10)}), 11).known(kTwoAMinute);
  const Admissions later = seen_by(kHere, *parse_ring(left.text()), 500);
  EXPECT_LE(of_last(later, 1).boot_ns, 12 * kS);
  EXPECT_GE(of_last(later, 1).boot_ns, 10 * kS);
  EXPECT_FALSE(later.has_news());
  // Another machine cannot use it.
  EXPECT_EQ(of_last(seen_by(3, left, 500), 1).boot_ns, 500 * kS);
}

TEST(Ring, ClocksMayDriftApart) {
  const Ring left = seen_by(kHere, ring_of({there(10)}), 10).known(kTwoAMinute);
  Ring later = left;
  later.entries = {there(100'000)};
  EXPECT_GE(of_last(seen_by(kHere, later, 101'000), 1).boot_ns, 100'000 * kS + 100 * kS);
}

// Its command starts later than the entry is written: no other machine may take it for the moment
// at which it saw the entry.
TEST(Ring, ALateStartCountsFromThenAndSaysNothingOfClocks) {
  Ring::Entry late = here(10);
  late.late_ns = 5 * kS;
  const Ring ring = ring_of({late});
  EXPECT_EQ(of_last(seen_by(kHere, ring, 20), 1).boot_ns, 15 * kS);
  EXPECT_EQ(of_last(seen_by(kHere, ring, 12), 1).boot_ns, 12 * kS) << "it has not started yet";
  late = there(10);
  late.late_ns = 5 * kS;
  EXPECT_EQ(of_last(seen_by(kHere, ring_of({late, there(10)}), 11), 2).boot_ns, 11 * kS);
  const Ring next = seen_by(kHere, ring, 12).with_ours(kTwoAMinute);
  EXPECT_EQ(next.entries.back().boot_ns, 12 * kS);
  EXPECT_EQ(next.entries.back().late_ns, 3 * kS) << "not before the one before it";
}

TEST(Ring, AnAdmissionCameBeforeTheNext) {
  const Admissions seen = seen_by(kHere, ring_of({there(10), here(12), there(13)}, 3), 40);
  EXPECT_EQ(of_last(seen, 3).boot_ns, 12 * kS);
}

TEST(Ring, OnlyWhatIsAskedForIsKept) {
  Ring ring = ring_of({here(0), here(1), here(2)});
  ring = seen_by(kHere, ring, 3).with_ours({});
  EXPECT_EQ(ring.entries.size(), 3u);  // one more, in case that the last one is taken back
  EXPECT_TRUE(ring.dropped);
  // A caller that asks for more: those that were dropped came before the oldest, that is all.
  EXPECT_EQ(seen_by(kHere, ring, 4).stamps().front().boot_ns, 1 * kS);
  EXPECT_EQ(seen_by(kHere, ring, 4).with_ours({9, Duration::seconds(5)}).entries.size(), 4u);
}

TEST(Ring, TheNewestCanBeTakenBack) {
  const Ring before = ring_of({here(1), here(2)});
  Ring ring = seen_by(kHere, before, 3).with_ours(kTwoAMinute);
  EXPECT_FALSE(ring.take_back(here(2)));
  EXPECT_TRUE(ring.take_back(here(3)));
  EXPECT_EQ(ring.entries, before.entries);
  EXPECT_FALSE(ring.dropped);
}

TEST(Ring, NoAdmissionComesBeforeTheOneBeforeIt) {
  const Ring ring = seen_by(kHere, ring_of({here(30)}), 29).with_ours(kTwoAMinute);
  EXPECT_EQ(ring.entries.back().boot_ns + ring.entries.back().late_ns, 30 * kS);
}

TEST(Ring, AGivenMomentInTheFutureCountsFromNowOn) {
  const Admissions seen = seen_by(kHere, ring_of({{0, 0, at(9999).real_ns / 1000}}), 10);
  EXPECT_EQ(of_last(seen, 1).boot_ns, 10 * kS);
  EXPECT_TRUE(seen.has_news());
  EXPECT_EQ(of_last(seen_by(kHere, seen.known(kTwoAMinute), 70), 1).boot_ns, 10 * kS);
}

}  // namespace
}  // namespace atmost::etcd
