// Text from etcd as a JSON object.
#ifndef ATMOST_STORE_ETCD_JSON_OBJECT_H
#define ATMOST_STORE_ETCD_JSON_OBJECT_H

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace atmost::etcd {

using Json = nlohmann::json;

// Nothing when it is malformed, or anything but an object.
inline std::optional<Json> json_object(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return std::nullopt;
  return json;
}

}  // namespace atmost::etcd

#endif
