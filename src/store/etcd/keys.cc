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

bool Keys::is_place(std::string_view key) const {
  const std::string all = waiters();
  if (!key.starts_with(all)) return false;
  std::string_view queue = key.substr(all.size());
  if (queue.starts_with("x/") || queue.starts_with("s/")) return true;
  if (!queue.starts_with('p')) return false;
  queue.remove_prefix(1);
  const std::size_t length = queue.find_first_not_of("0123456789");
  return length != std::string_view::npos && length >= 6 && queue[length] == '/';
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

std::string_view lock_of(const LockSpec& lock) {
  const std::string_view path = lock.path;
  return path.substr(path.rfind('/') + 1);
}

}  // namespace atmost::etcd
