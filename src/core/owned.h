// The owner of something that a store opened.
#ifndef ATMOST_OWNED_H
#define ATMOST_OWNED_H

#include <utility>

namespace atmost {

// Move-only; its destructor calls close(), which gives back whatever the value occupies. An empty
// one owns nothing. The front tier has no heap, so the store that made the value
// provides its memory.
template <class T>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* what) : what_(what) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&& other) noexcept : what_(std::exchange(other.what_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      close();
      what_ = std::exchange(other.what_, nullptr);
    }
    return *this;
  }
  // Takes over the value of another owner, as a base class of it.
  template <class U>
  Owned(Owned<U>&& other) : what_(other.give_away()) {}
  ~Owned() { close(); }

  explicit operator bool() const { return what_ != nullptr; }
  T& operator*() const { return *what_; }
  T* operator->() const { return what_; }
  // Returns what it owned without closing it; the caller owns it now.
  T* give_away() { return std::exchange(what_, nullptr); }
  void close() {
    if (T* what = std::exchange(what_, nullptr)) what->close();
  }

 private:
  T* what_ = nullptr;
};

}  // namespace atmost

#endif
