// The expected state of compare_locks: descriptions and who has them, and the locks of the model.
#ifndef ATMOST_TESTS_WORLD_LOCK_SCENE_H
#define ATMOST_TESTS_WORLD_LOCK_SCENE_H

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lock_steps.h"
#include "locks.h"

namespace world {

// A request that was made and is not answered yet, or whose answer is to be explained.
struct LockItem {
  enum class Outcome { blocked, done, refused, deadlock };
  int actor = 0;
  bool unlock = false;
  bool waits = false;
  ByteLock lock;
  Outcome outcome = Outcome::blocked;
  int after = -1;  // the index of an item that comes before: the first half of a conversion
};

class LockScene {
 public:
  // Tables: the byte locks of each file, then the flock(2) locks of each.
  static constexpr int kTables = 2 * kLockFiles;

  struct Description {
    int file = 0;
    LockFile view;  // `size` is not kept here
    int uses = 0;
  };
  struct Place {
    int description = -1;
    bool closes_on_exec = false;
  };
  struct Actor {
    pid_t pid = 0;
    std::array<Place, kLockSlots> slots;
    int mapped = -1;  // a description
  };

  const Actor& actor(int index) const { return actors_[at(index)]; }
  const Place& place(int index, int slot) const { return actor(index).slots[at(slot)]; }
  bool has(int index, int slot) const { return place(index, slot).description >= 0; }
  int mail(int box) const { return mail_[at(box)]; }
  const Description& description(int id) const { return descriptions_[at(id)]; }
  ByteLocks& table(int index) { return tables_[at(index)]; }

  void start(int index, pid_t pid);
  void open(int index, int slot, int file, int flags);
  void dup(int index, int from, int to, bool closes_on_exec);
  void close(int index, int slot);
  void send(int index, int slot, int box);
  void receive(int index, int slot, int box, bool closes_on_exec);
  void seek(int index, int slot, std::int64_t offset);
  void resize(int index, int slot, std::int64_t size);
  void map(int index, int slot);
  void unmap(int index);
  void end(int index);
  void fork(int index, int parent, pid_t pid);
  void exec(int index);

  int table_of(int index, int slot, bool flock) const;
  // 0 or the errno value of the call.
  int request(int index, int slot, const LockCall& call, LockRequest& to) const;
  // True if the caller would get EDEADLK.
  Deadlock deadlock(int table, const ByteLock& want) const {
    return deadlock(table, tables_[at(table)], want);
  }

  // Finds an order of the items in which each has its outcome, and what is blocked at the end has
  // to be; then this is the state of the table. False: there is none.
  bool explain(int table, const std::vector<LockItem>& items);

  std::string text() const;

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  Deadlock deadlock(int table, const ByteLocks& state, const ByteLock& want) const;
  bool explain(int table, const std::vector<LockItem>& items, unsigned decided,
               ByteLocks& state) const;
  bool admits(int table, const ByteLocks& state, const LockItem& item) const;
  void use(int index, int slot, int description, bool closes_on_exec);
  void release(int description);

  std::array<Actor, kLockActors> actors_;
  std::array<int, kMailboxes> mail_ = {-1, -1};
  std::array<std::int64_t, kLockFiles> sizes_ = {};
  std::vector<Description> descriptions_;
  std::array<ByteLocks, kTables> tables_;
};

}  // namespace world

#endif
