// inotify(7).
#include <sys/inotify.h>

#include "world/kernel.h"

namespace world {

void Kernel::raise(Process& by, int inode, std::uint32_t mask, std::string_view name) {
  if (by.loses_event) return;
  for (auto& [number, description] : descriptions_) {
    if (!description.inotify) continue;
    Inotify& to = *description.inotify;
    for (const auto& [watch, what] : to.watches) {
      if (what.inode != inode || (what.mask & mask) == 0) continue;
      // An event that equals the last unread one is merged with it.
      if (!to.queue.empty() && to.queue.back().watch == watch && to.queue.back().mask == mask &&
          to.queue.back().name == name)
        continue;
      to.queue.push_back({watch, mask, std::string(name)});
    }
  }
}

void Kernel::forget_unused(Process& by, int file) {
  if (inode(file).links > 0) return;
  for (const auto& [number, description] : descriptions_) {
    if (description.inode == file) return;
  }
  raise(by, file, IN_DELETE_SELF);
  for (auto& [number, description] : descriptions_) {
    if (!description.inotify) continue;
    Inotify& of = *description.inotify;
    for (auto each = of.watches.begin(); each != of.watches.end();) {
      if (each->second.inode != file) {
        ++each;
        continue;
      }
      of.queue.push_back({each->first, IN_IGNORED, {}});
      each = of.watches.erase(each);
    }
  }
}

}  // namespace world
