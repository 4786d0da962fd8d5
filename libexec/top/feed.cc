#include "feed.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace atmost::top {
namespace {

using Json = nlohmann::json;

std::string text(const Json& from, const char* name) {
  const auto at = from.find(name);
  return at != from.end() && at->is_string() ? at->get<std::string>() : std::string();
}

template <class Number>
std::optional<Number> number_in(const Json& from, const char* name) {
  const auto at = from.find(name);
  if (at == from.end() || !at->is_number()) return std::nullopt;
  return at->get<Number>();
}

Row row_of(const Json& from) {
  Row row;
  row.lock = text(from, "lock");
  row.state = text(from, "state");
  row.user = text(from, "user");
  row.id = text(from, "id");
  row.command = text(from, "path");
  if (row.command.empty()) row.command = text(from, "command");
  row.host = text(from, "host");
  row.slot = number_in<std::uint64_t>(from, "slot").value_or(0);
  row.position = number_in<std::uint64_t>(from, "position").value_or(0);
  row.token = number_in<std::uint64_t>(from, "token").value_or(0);
  row.pid = number_in<std::int64_t>(from, "pid").value_or(0);
  row.age_s = number_in<double>(from, "age_s");
  row.expires_s = number_in<double>(from, "expires_s");
  const auto verified = from.find("verified");
  row.verified = verified != from.end() && verified->is_boolean() && verified->get<bool>();
  return row;
}

}  // namespace

std::vector<Row> rows_of(std::string_view output) {
  std::vector<Row> rows;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const Json line = Json::parse(output.substr(0, end), nullptr, false);
    if (line.is_object() && line.contains("lock") && line["lock"].is_string())
      rows.push_back(row_of(line));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return rows;
}

}  // namespace atmost::top
