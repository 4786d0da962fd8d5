#include "keys.h"

#include <charconv>

namespace atmost::etcd {

Keys::Keys(const std::string& prefix, std::string_view lock)
    : base_(prefix + "/" + std::string(lock) + "/") {}

// Always the same number of digits, so that keys lie in the order of slots.
std::string Keys::digits(std::uint32_t slot) {
  const std::string plain = std::to_string(slot);
  return std::string(plain.size() < 6 ? 6 - plain.size() : 0, '0') + plain;
}

namespace {

constexpr const char* kPoints[] = {"start", "finish", "success"};

}  // namespace

std::string Keys::cooling(ElapsedFrom from) const {
  return base_ + "a/cool/" + kPoints[static_cast<unsigned>(from)];
}

std::string Keys::ever(ElapsedFrom from) const {
  return base_ + "a/ever/" + kPoints[static_cast<unsigned>(from)];
}

bool Keys::is_held(std::string_view key) const {
  return key.starts_with(base_) && key.substr(base_.size()).starts_with("a/h/");
}

bool Keys::is_taking(std::string_view key) const {
  return key.starts_with(base_) && key.substr(base_.size()).starts_with("a/t/");
}

std::string Keys::queue(const LockSpec& lock) const {
  switch (lock.mode) {
    case Mode::exclusive:
      return writers();
    case Mode::shared:
      return readers();
    case Mode::plain:
      break;
  }
  return waiters() + "p" + digits(lock.max) + "/";
}

std::optional<rule::Queue> Keys::queue_of_place(std::string_view key) const {
  const std::string all = waiters();
  const std::size_t end = key.rfind('/');
  if (!key.starts_with(all) || end < all.size()) return std::nullopt;
  const std::string_view queue = key.substr(all.size(), end - all.size());
  if (queue == "x" || queue == "s") return rule::kModeQueue;
  const std::uint32_t limit = queue.starts_with('p') ? slot_of(queue.substr(1)) : 0;
  return limit != 0 ? std::optional(limit) : std::nullopt;
}

std::string Keys::waiter(const LockSpec& lock, std::int64_t lease) const {
  return queue(lock) + std::to_string(lease);
}

std::uint32_t Keys::slot_of(std::string_view key) {
  const std::string_view text = key.substr(key.rfind('/') + 1);
  std::uint32_t slot = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
  const bool whole = error == std::errc() && end == text.data() + text.size() && text.size() >= 6;
  return whole && slot <= kMaxSlots ? slot : 0;
}

}  // namespace atmost::etcd
