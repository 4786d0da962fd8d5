// This machine's name in the names of locks. A program may change it, or move to another namespace.
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <cstring>

#include "library_kit.h"

namespace {
const char* renamed = nullptr;
}

// The library finds it instead of the C library's.
extern "C" int uname(struct utsname* names) noexcept {
  const long result = syscall(SYS_uname, names);
  if (result == 0 && renamed != nullptr) std::strcpy(names->nodename, renamed);
  return static_cast<int>(result);
}

namespace {

class LibraryHost : public Library {
 protected:
  void TearDown() override {
    renamed = nullptr;
    Library::TearDown();
  }
};

// Nothing is kept that several threads could fill at the same time, each with a part of the name.
TEST_F(LibraryHost, IsAskedForEachTime) {
  for (const char* const name : {"mars", "venus"}) {
    renamed = name;
    const atmost::Held held = atmost::Atom("edit", "motd").get_lock(limits_);
    ASSERT_TRUE(held) << atmost_message();
    EXPECT_TRUE(Library::held(path("edit=motd@") + name + ".lock")) << name;
  }
}

}  // namespace
