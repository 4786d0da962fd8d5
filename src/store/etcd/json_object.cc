#include "json_object.h"

#include <algorithm>
#include <string>
#include <vector>

namespace atmost::etcd {
namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kMostNames = 64;

}  // namespace

std::optional<Json> json_object(std::string_view text) {
  std::vector<std::vector<std::string>>
      open;  // the names so far of every object that is not at its end
  bool sound = true;
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    sound = sound && depth <= kDeepest;
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && sound) {
      const std::string& name = parsed.get_ref<const std::string&>();
      std::vector<std::string>& names = open.back();
      sound =
          names.size() < kMostNames && std::find(names.begin(), names.end(), name) == names.end();
      names.push_back(name);
    }
    return true;
  };
  Json json = Json::parse(text, look, false);
  if (!sound || json.is_discarded() || !json.is_object()) return std::nullopt;
  return json;
}

}  // namespace atmost::etcd
