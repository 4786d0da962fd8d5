// The encoding of requests to the gateway: base64, and transactions as text.
#include "wire.h"

namespace atmost::etcd {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view from) {
  std::string to;
  to.reserve((from.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < from.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      three = three << 8 | (i + j < from.size() ? static_cast<unsigned char>(from[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      to.push_back(i + j <= from.size() ? kDigits[three >> (18 - 6 * j) & 63] : '=');
    }
  }
  return to;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string to;
  std::uint32_t bits = 0;
  unsigned count = 0;
  std::size_t padding = 0;
  for (char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (c == '=') {
      ++padding;
      continue;
    }
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      to.push_back(static_cast<char>(bits >> count & 255));
    }
  }
  if (padding > 2 || base64(to) != text) return std::nullopt;
  return to;
}

std::string end_of_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return std::string(1, '\0');
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

void Txn::compare(std::string_view key, std::string_view end, const Comparison& what) {
  if (!compares_.empty()) compares_ += ',';
  compares_.append("{\"key\":\"").append(base64(key));
  if (!end.empty()) compares_.append("\",\"range_end\":\"").append(base64(end));
  compares_.append("\",\"result\":\"").append(what.result);
  compares_.append("\",\"target\":\"").append(what.target);
  compares_.append("\",\"").append(what.field);
  compares_.append("\":\"").append(std::to_string(what.value)).append("\"}");
}

Txn& Txn::modified_at(std::string_view key, std::uint64_t revision) {
  compare(key, {}, {"MOD", "mod_revision", "EQUAL", revision});
  return *this;
}

Txn& Txn::created_at(std::string_view key, std::uint64_t revision) {
  compare(key, {}, {"CREATE", "create_revision", "EQUAL", revision});
  return *this;
}

Txn& Txn::all_created_before(std::string_view prefix, std::uint64_t revision) {
  compare(prefix, end_of_prefix(std::string(prefix)),
          {"CREATE", "create_revision", "LESS", revision});
  return *this;
}

void Txn::add(const TxnPart& part, std::string_view text) {
  Branch& branch = branches_[at_];
  if (!branch.actions.empty()) branch.actions += ',';
  branch.actions += text;
  branch.parts.push_back(part);
}

namespace {

std::string limit_text(unsigned limit) { return ",\"limit\":\"" + std::to_string(limit) + '"'; }

constexpr std::string_view kOldestFirst = ",\"sort_target\":\"CREATE\",\"sort_order\":\"ASCEND\"";
constexpr std::string_view kYoungestFirst =
    ",\"sort_target\":\"CREATE\",\"sort_order\":\"DESCEND\"";

}  // namespace

Txn& Txn::of_one_member() {
  of_one_member_ = true;
  return *this;
}

Txn& Txn::add_range(const TxnPart& asked, std::string_view more) {
  std::string text = "{\"requestRange\":{\"key\":\"" + base64(asked.from) + '"';
  if (!asked.end.empty()) text.append(",\"range_end\":\"").append(base64(asked.end)).append("\"");
  if (of_one_member_) text += ",\"serializable\":true";
  add(asked, text.append(more).append("}}"));
  return *this;
}

Txn& Txn::range(std::string_view key, std::string_view end) {
  return add_range({Part::range, key, end}, {});
}

Txn& Txn::first_key(std::string_view from, std::string_view end) {
  return add_range({Part::limited_range, from, end}, ",\"limit\":\"1\",\"keys_only\":true");
}

Txn& Txn::oldest(std::string_view prefix, std::uint64_t revision, unsigned limit) {
  const std::string end = end_of_prefix(std::string(prefix));
  const std::string text = std::string(kOldestFirst) + limit_text(limit);
  if (revision == 0) return add_range({Part::limited_range, prefix, end}, text);
  return add_range({Part::filtered_range, prefix, end},
                   text + ",\"min_create_revision\":\"" + std::to_string(revision) + '"');
}

Txn& Txn::youngest(std::string_view prefix, std::uint64_t revision, unsigned limit) {
  const std::string end = end_of_prefix(std::string(prefix));
  const std::string text = std::string(kYoungestFirst) + limit_text(limit) + ",\"keys_only\":true";
  if (revision == 0) return add_range({Part::limited_range, prefix, end}, text);
  return add_range({Part::filtered_range, prefix, end},
                   text + ",\"max_create_revision\":\"" + std::to_string(revision) + '"');
}

Txn& Txn::put(std::string_view key, std::string_view value, std::int64_t lease) {
  std::string text =
      "{\"requestPut\":{\"key\":\"" + base64(key) + "\",\"value\":\"" + base64(value) + '"';
  if (lease != 0) text.append(",\"lease\":\"").append(std::to_string(lease)).append("\"");
  add({Part::put}, text.append("}}"));
  return *this;
}

Txn& Txn::erase(std::string_view key, std::string_view end) {
  std::string text = "{\"requestDeleteRange\":{\"key\":\"" + base64(key) + '"';
  if (!end.empty()) text.append(",\"range_end\":\"").append(base64(end)).append("\"");
  add({Part::erase}, text.append("}}"));
  return *this;
}

Txn& Txn::otherwise() {
  at_ = 1;
  return *this;
}

std::string Txn::text() const {
  std::string text = "{\"compare\":[" + compares_ + "],\"success\":[" + branches_[0].actions + "]";
  if (at_ != 0) text += ",\"failure\":[" + branches_[1].actions + "]";
  return text + "}";
}

}  // namespace atmost::etcd
