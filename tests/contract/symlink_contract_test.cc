#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "contract.h"
#include "store/symlink/store.h"

namespace atmost::contract {
namespace {

class SymlinkWorld final : public World {
 public:
  SymlinkWorld() { EXPECT_NE(mkdtemp(directory_), nullptr); }
  ~SymlinkWorld() override {
    callers_.clear();
    std::filesystem::remove_all(directory_);
  }

  Store& caller() override {
    callers_.push_back(std::make_unique<symlink::SymlinkStore>());
    return *callers_.back();
  }
  void point(LockSpec& spec, unsigned index) override {
    spec.path = kept(std::string(directory_) + "/" + std::to_string(index));
  }
  std::set<std::string> lacks() override {
    return {"queue",     "weights", "modes",         "several_locks",  "drain",
            "takeover",  "counts",  "several_slots", "last_admission", "turns",
            "withdraws", "rates",   "queue_limits"};
  }
  std::optional<std::string> bytes() override {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      all.insert(entry.path().string() + " -> " +
                 std::filesystem::read_symlink(entry.path()).string());
    }
    std::string text;
    for (const std::string& line : all) text += line + '\n';
    return text;
  }

 private:
  char directory_[64] = "/tmp/atmost-contract-XXXXXX";
  std::vector<std::unique_ptr<symlink::SymlinkStore>> callers_;
};

std::unique_ptr<World> symlink_world() { return std::make_unique<SymlinkWorld>(); }

}  // namespace

ATMOST_CONTRACT(symlink, symlink_world);

}  // namespace atmost::contract
