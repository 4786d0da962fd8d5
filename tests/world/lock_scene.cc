#include "lock_scene.h"

#include <sys/file.h>

#include <cerrno>

namespace world {

void LockScene::start(int index, pid_t pid) {
  actors_[at(index)] = {};
  actors_[at(index)].pid = pid;
}

void LockScene::use(int index, int slot, int description, bool closes_on_exec) {
  ++descriptions_[at(description)].uses;
  actors_[at(index)].slots[at(slot)] = {description, closes_on_exec};
}

void LockScene::release(int description) {
  Description& gone = descriptions_[at(description)];
  if (--gone.uses > 0) return;
  tables_[at(gone.file)].drop({true, description});
  tables_[at(kLockFiles + gone.file)].drop({true, description});
}

void LockScene::open(int index, int slot, int file, int flags) {
  const int mode = flags & O_ACCMODE;
  const int id = static_cast<int>(descriptions_.size());
  descriptions_.push_back({file, {id, mode != O_WRONLY, mode != O_RDONLY, 0, 0}, 0});
  use(index, slot, id, (flags & O_CLOEXEC) != 0);
}

void LockScene::dup(int index, int from, int to, bool closes_on_exec) {
  const int description = place(index, from).description;
  if (has(index, to)) {
    ++descriptions_[at(description)].uses;
    close(index, to);
    --descriptions_[at(description)].uses;
  }
  use(index, to, description, closes_on_exec);
}

void LockScene::close(int index, int slot) {
  const int description = place(index, slot).description;
  actors_[at(index)].slots[at(slot)] = {};
  tables_[at(descriptions_[at(description)].file)].drop({false, actor(index).pid});
  release(description);
}

void LockScene::send(int index, int slot, int box) {
  mail_[at(box)] = place(index, slot).description;
  ++descriptions_[at(mail(box))].uses;
}

void LockScene::receive(int index, int slot, int box, bool closes_on_exec) {
  const int description = mail(box);
  mail_[at(box)] = -1;
  actors_[at(index)].slots[at(slot)] = {description, closes_on_exec};
}

void LockScene::seek(int index, int slot, std::int64_t offset) {
  descriptions_[at(place(index, slot).description)].view.offset = offset;
}

void LockScene::resize(int index, int slot, std::int64_t size) {
  sizes_[at(descriptions_[at(place(index, slot).description)].file)] = size;
}

void LockScene::map(int index, int slot) {
  const int description = place(index, slot).description;
  ++descriptions_[at(description)].uses;
  actors_[at(index)].mapped = description;
}

void LockScene::unmap(int index) {
  const int description = actor(index).mapped;
  actors_[at(index)].mapped = -1;
  if (description >= 0) release(description);
}

void LockScene::end(int index) {
  for (int slot = 0; slot < kLockSlots; ++slot) {
    if (has(index, slot)) close(index, slot);
  }
  unmap(index);
  actors_[at(index)].pid = 0;
}

void LockScene::fork(int index, int parent, pid_t pid) {
  actors_[at(index)] = actor(parent);
  actors_[at(index)].pid = pid;
  for (const Place& place : actor(index).slots) {
    if (place.description >= 0) ++descriptions_[at(place.description)].uses;
  }
  if (actor(index).mapped >= 0) ++descriptions_[at(actor(index).mapped)].uses;
}

void LockScene::exec(int index) {
  unmap(index);
  for (int slot = 0; slot < kLockSlots; ++slot) {
    if (has(index, slot) && place(index, slot).closes_on_exec) close(index, slot);
  }
}

int LockScene::table_of(int index, int slot, bool flock) const {
  return descriptions_[at(place(index, slot).description)].file + (flock ? kLockFiles : 0);
}

int LockScene::request(int index, int slot, const LockCall& call, LockRequest& to) const {
  const Description& description = descriptions_[at(place(index, slot).description)];
  if (call.flock) {
    const int kind = call.command & ~LOCK_NB;
    to.kind = kind == LOCK_UN ? LockRequest::Kind::unlock : LockRequest::Kind::lock;
    to.waits = kind == call.command;
    to.lock = flock_lock(description.view.description, kind == LOCK_EX);
    return 0;
  }
  LockFile view = description.view;
  view.size = sizes_[at(description.file)];
  return read_request(actor(index).pid, view, call.command, call.bytes, to);
}

Deadlock LockScene::deadlock(int table, const ByteLocks& state, const ByteLock& want) const {
  if (table >= kLockFiles) return Deadlock::no;
  std::array<const ByteLocks*, kLockFiles> all;
  for (int file = 0; file < kLockFiles; ++file) {
    all[at(file)] = file == table ? &state : &tables_[at(file)];
  }
  return find_deadlock(all, state, want);
}

bool LockScene::admits(int table, const ByteLocks& state, const LockItem& item) const {
  if (item.unlock) return item.outcome == LockItem::Outcome::done;
  const bool refused = state.refuses(item.lock);
  switch (item.outcome) {
    case LockItem::Outcome::done:
      return !refused;
    case LockItem::Outcome::refused:
      return refused && !item.waits;
    case LockItem::Outcome::deadlock:
      return refused && item.waits && deadlock(table, state, item.lock) != Deadlock::no;
    default:
      return false;
  }
}

bool LockScene::explain(int table, const std::vector<LockItem>& items, unsigned decided,
                        ByteLocks& state) const {
  bool complete = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const LockItem& item = items[i];
    const bool late = item.after >= 0 && (decided >> item.after & 1) == 0;
    if ((decided >> i & 1) != 0 || item.outcome == LockItem::Outcome::blocked) continue;
    complete = false;
    if (late || !admits(table, state, item)) continue;
    ByteLocks next = state;
    next.unblock(item.actor);
    if (item.unlock) {
      next.unlock(item.lock);
    } else if (item.outcome == LockItem::Outcome::done) {
      next.lock(item.lock);
    }
    if (explain(table, items, decided | 1U << i, next)) {
      state = next;
      return true;
    }
  }
  if (!complete) return false;
  for (const LockItem& item : items) {
    if (item.outcome != LockItem::Outcome::blocked) continue;
    if (!state.refuses(item.lock)) return false;
  }
  for (const LockItem& item : items) {
    if (item.outcome != LockItem::Outcome::blocked) continue;
    state.unblock(item.actor);
    state.block(item.actor, item.lock);
  }
  return true;
}

bool LockScene::explain(int table, const std::vector<LockItem>& items) {
  ByteLocks state = tables_[at(table)];
  if (!explain(table, items, 0, state)) return false;
  tables_[at(table)] = state;
  return true;
}

namespace {

std::string text_of(const ByteLock& lock) {
  return std::string(lock.owner.description ? "description " : "process ") +
         std::to_string(lock.owner.id) + (lock.write ? " writes " : " reads ") +
         std::to_string(lock.first) + ".." +
         (lock.last == kLastByte ? "" : std::to_string(lock.last));
}

}  // namespace

std::string LockScene::text() const {
  std::string to;
  for (int index = 0; index < kLockActors; ++index) {
    to += "p" + std::to_string(index) + " pid " + std::to_string(actor(index).pid) + ":";
    for (int slot = 0; slot < kLockSlots; ++slot) {
      if (!has(index, slot)) continue;
      const Description& description = descriptions_[at(place(index, slot).description)];
      to += " slot " + std::to_string(slot) + " description " +
            std::to_string(description.view.description) + " of file " +
            std::to_string(description.file) + (description.view.readable ? " r" : " ") +
            (description.view.writable ? "w" : "") + ";";
    }
    if (actor(index).mapped >= 0) to += " maps " + std::to_string(actor(index).mapped);
    to += "\n";
  }
  for (int table = 0; table < kTables; ++table) {
    to += table < kLockFiles ? "byte locks" : "flock";
    to += " of file " + std::to_string(table % kLockFiles) + ":";
    for (const ByteLock& lock : tables_[at(table)].all()) to += " " + text_of(lock) + ";";
    for (const Blocked& blocked : tables_[at(table)].blocked()) {
      to += " p" + std::to_string(blocked.caller) + " waits, " + text_of(blocked.want) + ";";
    }
    to += "\n";
  }
  return to;
}

}  // namespace world
