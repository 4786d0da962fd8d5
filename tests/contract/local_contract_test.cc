#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "contract.h"
#include "store/local/store.h"

namespace atmost::contract {
namespace {

// Every session opens the file for itself: a separate open file description, and so a separate
// owner of locks, as in another process.
class LocalWorld final : public World {
 public:
  LocalWorld() { EXPECT_NE(mkdtemp(directory_), nullptr); }
  ~LocalWorld() override { std::filesystem::remove_all(directory_); }

  Store& caller() override { return store_; }
  // The one robust list of this thread is not for all of them.
  void introduce(Request& request) override { request.kind = HolderKind::library; }
  void point(LockSpec& spec, unsigned index) override { spec.path = kept(path(index)); }
  std::optional<std::string> bytes() override {
    std::ostringstream all;
    all << std::ifstream(path(0), std::ios::binary).rdbuf();
    return all.str();
  }
  bool lose_hints() override { return truncate(path(0).c_str(), 0) == 0; }

 private:
  std::string path(unsigned index) const {
    return std::string(directory_) + "/" + std::to_string(index) + ".lock";
  }

  char directory_[64] = "/tmp/atmost-contract-XXXXXX";
  local::LocalStore store_;
};

std::unique_ptr<World> local_world() { return std::make_unique<LocalWorld>(); }

}  // namespace

ATMOST_CONTRACT(local, local_world);

}  // namespace atmost::contract
