#include <algorithm>

#include "read_file.h"

namespace atmost::pass {
namespace {

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a fraction";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

// Empty when the text may be used.
std::string unusable(const std::string& text, bool empty_too) {
  if (text.empty() && !empty_too) return "is empty";
  if (text.find('\0') != std::string::npos) return "holds a NUL character, which no argument can";
  return {};
}

}  // namespace

SourcePlace place_of(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}

SourcePlace TableReader::at(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node != nullptr ? place_of(node->source()) : at();
}

void TableReader::fault(std::string_view key, const std::string& words) {
  faults_.push_back({at(key), std::string(key) + " " + words});
}

void TableReader::only(const std::vector<std::string>& keys) {
  for (const auto& [key, node] : table_) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    std::string known;
    for (const std::string& one : keys) known += (known.empty() ? "" : ", ") + one;
    faults_.push_back(
        {place_of(key.source()),
         "\"" + std::string(key.str()) + "\" is not a key of " + what_ + ": it has " + known});
  }
}

bool TableReader::text(std::string_view key, std::string& to) {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return false;
  if (!node->is_string()) {
    fault(key, "is " + kind_of(*node) + " and should be a text");
    return false;
  }
  std::string value = node->as_string()->get();
  if (const std::string why = unusable(value, false); !why.empty()) {
    fault(key, why);
    return false;
  }
  to = std::move(value);
  return true;
}

bool TableReader::boolean(std::string_view key, bool& to) {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return false;
  if (!node->is_boolean()) {
    fault(key, "is " + kind_of(*node) + " and should be true or false");
    return false;
  }
  to = node->as_boolean()->get();
  return true;
}

bool TableReader::value(const Option& option, std::string& to) {
  const Text<40> name = name_for(kAtom, option);
  const std::string_view key = name;
  const toml::node* node = table_.get(key);
  if (node == nullptr) return false;
  if (option.value.empty()) {
    bool is_true = false;
    if (!boolean(key, is_true)) return false;
    to = is_true ? "true" : "false";
    return true;
  }
  if (option.value == "LIST") {
    std::vector<std::string> all;
    if (!texts(key, false, all)) return false;
    to.clear();
    for (const std::string& one : all) to += (to.empty() ? "" : ",") + one;
    return true;
  }
  const bool span = option.value.starts_with("DUR");
  const bool number = option.value == "N" || option.value == "COUNT";
  const bool part = option.value == "N|cpus";
  if ((span || number || part) && node->is_integer()) {
    to = std::to_string(node->as_integer()->get());
    return true;
  }
  if (number || ((span || part) && !node->is_string())) {
    fault(key, "is " + kind_of(*node) + " and should be " +
                   (number ? "a whole number"
                    : part ? "a whole number, \"cpus/2\" or \"50%\""
                           : "a duration: \"15m\", \"1h30m\", \"inf\", or whole seconds"));
    return false;
  }
  return text(key, to);
}

bool TableReader::texts(std::string_view key, bool empty_too, std::vector<std::string>& to) {
  const toml::node* node = table_.get(key);
  return node != nullptr && texts_in(*node, key, empty_too, to);
}

bool TableReader::texts_in(const toml::node& node, std::string_view key, bool empty_too,
                           std::vector<std::string>& to) {
  const toml::array* array = node.as_array();
  if (array == nullptr || array->empty()) {
    fault(place_of(node.source()),
          std::string(key) + (array != nullptr
                                  ? " is an empty array"
                                  : " is " + kind_of(node) + " and should be an array of texts"));
    return false;
  }
  std::vector<std::string> values;
  for (const toml::node& one : *array) {
    if (!one.is_string()) {
      fault(place_of(one.source()),
            std::string(key) + " should hold texts alone; this is " + kind_of(one));
      return false;
    }
    values.push_back(one.as_string()->get());
    const std::string why = unusable(values.back(), empty_too && values.size() > 1);
    if (!why.empty()) {
      fault(place_of(one.source()), "this text of " + std::string(key) + " " + why);
      return false;
    }
  }
  to = std::move(values);
  return true;
}

void TableReader::variables(std::string_view key, std::map<std::string, std::string>& to) {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return;
  const toml::table* table = node->as_table();
  if (table == nullptr)
    return fault(key, "is " + kind_of(*node) + " and should be a table of texts");
  for (const auto& [name, value] : *table) {
    const std::string variable(name.str());
    if (variable.empty() || variable.find('=') != std::string::npos ||
        variable.find('\0') != std::string::npos) {
      fault(place_of(name.source()), "\"" + variable + "\" is not a name for a variable");
    } else if (variable.rfind("ATMOST_", 0) == 0) {
      fault(place_of(name.source()),
            variable + " is not for you to set: ATMOST_ variables say where the command runs");
    } else if (!value.is_string()) {
      fault(place_of(value.source()), variable + " is " + kind_of(value) + " and should be a text");
    } else if (const std::string why = unusable(value.as_string()->get(), true); !why.empty()) {
      fault(place_of(value.source()), variable + " " + why);
    } else {
      to[variable] = value.as_string()->get();
    }
  }
}

}  // namespace atmost::pass
