// Memory and lock files, asked alike (twins.h).
#include <cstdlib>
#include <filesystem>

#include "store/local/session.h"
#include "store/local/store.h"
#include "twins.h"

namespace atmost::twins {
namespace {

// Its waiters, as threads of a library, have no bells: a file could find out if a waiter with a
// bell sleeps, unlike other stores.
Result<Owned<Session>> open_files(Store&, const Request& request) {
  Result<Owned<local::LocalSession>> opened = local::open_session(request);
  if (!opened.ok()) return opened.error();
  opened.value()->set_blocking(os::Blocking::polling);
  return Owned<Session>(std::move(opened.value()));
}

class Files final : public Other {
 public:
  Files() {
    if (mkdtemp(directory_.data()) == nullptr) abort();
  }
  ~Files() override { std::filesystem::remove_all(directory_); }

  Side begin(unsigned seed) override {
    return {&store_, directory_ + "/" + std::to_string(seed) + ".lock", open_files, true, true};
  }
  void end(const Side& side) override { std::filesystem::remove(side.path); }

 private:
  std::string directory_ = (std::filesystem::temp_directory_path() / "twin-XXXXXX").string();
  local::LocalStore store_;
};

}  // namespace
}  // namespace atmost::twins

int main(int argc, char** argv) {
  atmost::twins::Files files;
  return atmost::twins::compare(files, argc, argv);
}
