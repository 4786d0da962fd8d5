#include <algorithm>

#include "ping.h"

namespace atmost::tell {

std::string ping_url(std::string base, const std::string& what, const std::string& run_id) {
  base.erase(base.find_last_not_of(" \t\r\n") + 1);
  base.erase(0, base.find_first_not_of(" \t\r\n"));
  if (!base.starts_with("https://") && !base.starts_with("http://")) return {};
  for (const char c : base) {
    if (c <= ' ' || c == '\x7F') return {};
  }
  base.erase(std::min(base.find('#'), base.size()));
  const std::size_t question = std::min(base.find('?'), base.size());
  std::string query = base.substr(question);
  base.erase(question);
  while (base.ends_with('/')) base.pop_back();
  query += (query.empty() ? "?" : query.size() > 1 ? "&" : "") + ("rid=" + run_id);
  return base + "/" + what + query;
}

}  // namespace atmost::tell
