#include "link.h"

#include <cerrno>

#include "os/directory.h"
#include "os/file.h"
#include "os/link.h"

namespace atmost::symlink {
namespace {

constexpr int kTries = 64;

constexpr std::string_view kAlien =
    "is not a symlink lock (pid= time= ttl= psid= id=) and was left alone; name something that "
    "does not "
    "exist yet";

enum class Swap : std::uint8_t { done, retry, failed };

// Puts what came out of NAME back, which another link may have taken meanwhile; then nothing can be
// done for it.
void put_back(const char* from, const char* to) {
  if (os::move_to_free_name(from, to) == EEXIST) os::remove_name(from);
}

bool is(const char* path, const Sight& expected) {
  Sight found;
  return look(path, found) == 0 && same(found, expected);
}

// REQUIRES: our link stands under `spare`.
Swap exchange(const Place& place, const PathText& spare, const Sight& old, int& error) {
  error = os::exchange_names(spare.c_str(), place.name.c_str());
  if (error != 0) {
    os::remove_name(spare.c_str());
    return error == ENOENT ? Swap::retry : Swap::failed;
  }
  if (is(spare.c_str(), old)) {
    os::remove_name(spare.c_str());
    return Swap::done;
  }
  // Somebody removed the old one and made a lock of his own since we looked.
  if (os::exchange_names(spare.c_str(), place.name.c_str()) == 0) {
    os::remove_name(spare.c_str());
  } else {
    put_back(spare.c_str(), place.name.c_str());
  }
  return Swap::retry;
}

// Where exchange() cannot.
Swap move_away(const Place& place, const PathText& spare, const Sight& old, int& error) {
  error = os::rename_file(place.name.c_str(), spare.c_str());
  if (error == ENOENT) return Swap::retry;
  if (error != 0) return Swap::failed;
  if (is(spare.c_str(), old)) {
    os::remove_name(spare.c_str());
  } else {
    put_back(spare.c_str(), place.name.c_str());
  }
  return Swap::retry;
}

Swap replace(const Place& place, const PathText& spare, const PathText& text, const Sight& old,
             int& error) {
  error = os::make_link(text.c_str(), spare.c_str());
  if (error != 0) return Swap::failed;
  const Swap swap = exchange(place, spare, old, error);
  return error == ENOTSUP ? move_away(place, spare, old, error) : swap;
}

struct Sweep {
  const Place& place;
  std::string_view seat_text;
  const Instant& now;
  std::uint64_t boot;

  void visit(std::string_view name) const {
    const Kin kin = kin_of(place, name);
    if (kin == Kin::none) return;
    PathText path = place.directory;
    path.push('/').append(name);
    Sight found;
    if (kin == Kin::claim) {
      if (!claims_seat(place, name, seat_text)) os::remove_name(path.c_str());
    } else if (look(path.c_str(), found) == 0 && found.kind == Sight::Kind::lock) {
      if (kin == Kin::leftover || over(found, now, boot, nullptr)) os::remove_name(path.c_str());
    }
  }
};

}  // namespace

Result<Grip> take_link(const Place& place, const PathText& spare, const PathText& text,
                       const Instant& now, std::uint64_t boot) {
  for (int i = 0; i < kTries; ++i) {
    int error = os::make_link(text.c_str(), place.name.c_str());
    if (error == 0) return Grip::held;
    if (error != EEXIST) return failure(place.name, error, "the lock link cannot be made");
    Sight old;
    error = look(place.name.c_str(), old);
    if (error != 0) return failure(place.name, error, "cannot be examined");
    if (old.kind == Sight::Kind::absent) continue;
    if (old.kind == Sight::Kind::alien) return failure(place.name, Code::io, kAlien);
    if (!over(old, now, boot, nullptr)) return Grip::busy;
    const Swap swap = replace(place, spare, text, old, error);
    if (swap == Swap::done) return Grip::held;
    if (swap == Swap::failed)
      return failure(place.name, error, "its holder has ended, but the link cannot be removed");
  }
  return Grip::busy;
}

void leave_link(const Place& place, const PathText& spare, const PathText& text) {
  Sight own;
  if (look(place.name.c_str(), own) != 0 || own.kind != Sight::Kind::lock ||
      own.text.view() != text.view())
    return;
  int ignored = 0;
  (void)move_away(place, spare, own, ignored);
}

void sweep(const Place& place, std::string_view seat_text, const Instant& now, std::uint64_t boot) {
  const Sweep task{place, seat_text, now, boot};
  os::visit_names(
      place.directory.c_str(),
      [](void* context, std::string_view name) { static_cast<const Sweep*>(context)->visit(name); },
      const_cast<Sweep*>(&task));
}

}  // namespace atmost::symlink
