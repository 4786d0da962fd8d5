// Text from etcd as a JSON object.
#ifndef ATMOST_STORE_ETCD_JSON_OBJECT_H
#define ATMOST_STORE_ETCD_JSON_OBJECT_H

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace atmost::etcd {

using Json = nlohmann::json;

// Empty when it is malformed, is not an object, or has something that neither etcd nor atmost
// writes: a name twice in one object (RFC 8259 leaves open which of them counts), more than 64
// names there, more than 32 levels.
std::optional<Json> json_object(std::string_view text);

}  // namespace atmost::etcd

#endif
