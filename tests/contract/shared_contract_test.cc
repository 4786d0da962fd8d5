#include <stdlib.h>
#include <unistd.h>
#include <memory>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "contract.h"
#include "store/shared/directory.h"
#include "store/shared/store.h"

namespace atmost::contract {
namespace {

// On a filesystem of this machine, which takes the same calls, or in the directory of a variable,
// on NFS (tests/nfs). Every session opens the file for itself, as another machine would.
class SharedWorld final : public World {
 public:
  SharedWorld() {
    const char* const on_nfs = getenv("ATMOST_TESTS_SHARED_DIRECTORY");
    directory_ = std::string(on_nfs != nullptr ? on_nfs : "/tmp") + "/atmost-contract-XXXXXX";
    EXPECT_NE(mkdtemp(directory_.data()), nullptr);
    if (on_nfs == nullptr) setenv(shared::kAnyFilesystem, "1", 1);
  }
  ~SharedWorld() override { std::filesystem::remove_all(directory_); }

  Store& caller() override {
    stores_.push_back(std::make_unique<shared::SharedStore>(directory_));
    return *stores_.back();
  }
  void point(LockSpec& spec, unsigned index) override { spec.path = kept("shared:" + path(index)); }
  std::optional<std::string> bytes() override {
    std::ostringstream all;
    std::ifstream file(path(0), std::ios::binary);
    char part[1 << 20];  // behind it are heartbeats: a hole as large as memory
    file.read(part, sizeof part);
    all.write(part, file.gcount());
    return all.str();
  }
  bool lose_hints() override { return truncate(path(0).c_str(), 0) == 0; }

 private:
  std::string path(unsigned index) const {
    return directory_ + "/" + std::to_string(index) + ".lock";
  }

  std::string directory_;
  std::vector<std::unique_ptr<shared::SharedStore>> stores_;
};

std::unique_ptr<World> shared_world() { return std::make_unique<SharedWorld>(); }

}  // namespace

ATMOST_CONTRACT(shared, shared_world);

}  // namespace atmost::contract
