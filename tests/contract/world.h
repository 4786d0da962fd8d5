// A store's part of the contract suite: a fresh lock, independent callers, and a way to look at the
// stored bytes. A new store writes one World and one ATMOST_CONTRACT line; the suite itself stays
// as it is.
#ifndef ATMOST_TESTS_CONTRACT_WORLD_H
#define ATMOST_TESTS_CONTRACT_WORLD_H

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/store.h"

namespace atmost::contract {

// One lock (and more by name), made anew for every test and gone with it.
class World {
 public:
  virtual ~World() = default;

  // The store of one more caller, whose sessions are apart from those of all others as in a
  // separate process. Lives as long as the world; may be the same for all.
  virtual Store& caller() = 0;
  // Further facts about the store's callers, if the defaults are wrong for it.
  virtual void introduce(Request&) {}
  // Points `spec` at lock number `index` of this world. Nothing exists of it before its first use.
  virtual void point(LockSpec& spec, unsigned index) = 0;
  // The traits (of those for this suite) that the store does not have, by name: only the tests that
  // need them are skipped.
  virtual std::set<std::string> lacks() { return {}; }
  // Every byte that the store keeps of lock 0; nothing for a store that cannot show them.
  virtual std::optional<std::string> bytes() { return std::nullopt; }
  // Loses everything stored but the holds themselves; false for a store that has no such hints.
  virtual bool lose_hints() { return false; }
};

using MakeWorld = std::unique_ptr<World> (*)();

}  // namespace atmost::contract

// In the one source file of a store's contract test.
#define ATMOST_CONTRACT(store, make)                                      \
  INSTANTIATE_TEST_SUITE_P(store, StoreContract, ::testing::Values(make), \
                           [](const auto&) { return std::string(#store); })

#endif
