#include "damage.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace etcd_kit {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

// Stand for text that a JSON value could not hold.
const std::string kRaw = "raw text";
const std::string kAgain = " again";

void collect(const Json& json, const Pointer& at, std::vector<Pointer>& to) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    const Pointer place = json.is_array() ? at / std::stoul(key) : at / key;
    to.push_back(place);
    collect(value, place, to);
  }
}

std::vector<Pointer> all_places(const Json& json) {
  std::vector<Pointer> all;
  if (!json.is_discarded()) collect(json, Pointer(), all);
  return all;
}

bool is_number(const Json& value) {
  return value.is_string() && !value.get<std::string>().empty() &&
         value.get<std::string>().find_first_not_of("-0123456789") == std::string::npos;
}

Json of_other_type(const Json& value) {
  if (value.is_string()) return 7;
  if (value.is_boolean()) return "true";
  if (value.is_object()) return Json::array();
  return Json::object();
}

Json another(const Json& value) {
  if (is_number(value)) return "1";
  if (value.is_string()) return "";
  if (value.is_boolean()) return !value.get<bool>();
  return value.is_object() ? Json::object() : Json::array();
}

void replace(std::string& text, const std::string& old, const std::string& with) {
  const std::size_t at = text.find(old);
  if (at != std::string::npos) text.replace(at, old.size(), with);
}

void remove(Json& parent, const Pointer& place) {
  if (parent.is_array()) {
    parent.erase(std::stoul(place.back()));
  } else {
    parent.erase(place.back());
  }
}

void repeat(Json& parent, const Pointer& place, const Json& value) {
  if (parent.is_array()) {
    parent.push_back(Json(value));
  } else {
    parent[place.back() + kAgain] = another(value);
  }
}

}  // namespace

const char* name_of(Damage damage) {
  constexpr const char* kNames[kDamages] = {"missing", "null",     "other type", "huge",
                                            "most",    "negative", "twice",      "deep"};
  return kNames[static_cast<unsigned>(damage)];
}

std::size_t places(const std::string& text) {
  return all_places(Json::parse(text, nullptr, false)).size();
}

std::string damaged(const std::string& text, std::size_t place, Damage damage) {
  Json json = Json::parse(text, nullptr, false);
  const Pointer at = all_places(json).at(place);
  Json& value = json.at(at);
  Json& parent = json.at(at.parent_pointer());
  std::string raw;
  switch (damage) {
    case Damage::missing:
      remove(parent, at);
      break;
    case Damage::null:
      value = nullptr;
      break;
    case Damage::other_type:
      value = of_other_type(value);
      break;
    case Damage::huge:
      raw = is_number(value)    ? "\"99999999999999999999999\""
            : value.is_string() ? '"' + std::string(1u << 20, 'A') + '"'
                                : "123456789012345678901234567890";
      value = kRaw;
      break;
    case Damage::most:
      value = is_number(value) ? Json("9223372036854775807") : Json(9223372036854775807);
      break;
    case Damage::negative:
      value = is_number(value) ? Json("-1") : Json(-1);
      break;
    case Damage::twice:
      repeat(parent, at, Json(value));
      break;
    case Damage::deep:
      raw = std::string(50'000, '[') + std::string(50'000, ']');
      value = kRaw;
      break;
  }
  std::string damaged_text = json.dump();
  if (!raw.empty()) replace(damaged_text, '"' + kRaw + '"', raw);
  if (damage == Damage::twice) replace(damaged_text, kAgain + '"', "\"");
  return damaged_text;
}

}  // namespace etcd_kit
