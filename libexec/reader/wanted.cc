#include "reader/wanted.h"

#include <filesystem>

#include "reader/safe_text.h"

namespace atmost::history {
namespace {

bool stands_for(std::string_view raw, const std::string& text) {
  return raw.find('\\') == std::string_view::npos ? raw == text : text_of(raw) == text;
}

}  // namespace

bool is_wanted(const std::vector<WantedLock>& locks, const Record& record) {
  if (locks.empty()) return true;
  for (const WantedLock& lock : locks) {
    if (!lock.name.empty() && stands_for(record.lock, lock.name)) return true;
    for (const std::string& path : lock.paths) {
      if (stands_for(record.path, path)) return true;
    }
    // "/a/./b" and the like, from callers that wrote it so.
    if (record.path.find("/.") == std::string_view::npos && record.path.find("//") == std::string_view::npos)
      continue;
    const std::string plain = std::filesystem::path(text_of(record.path)).lexically_normal();
    for (const std::string& path : lock.paths) {
      if (plain == path) return true;
    }
  }
  return false;
}

}  // namespace atmost::history
