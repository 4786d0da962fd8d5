#include "contract.h"
#include "store/memory/store.h"

namespace atmost::contract {
namespace {

class MemoryWorld final : public World {
 public:
  Store& caller() override { return *store_; }
  void point(LockSpec& spec, unsigned index) override {
    EXPECT_EQ(index, 0u) << "one lock is all there is";
    spec.name = "memory";
  }
  std::set<std::string> lacks() override { return {"processes", "several_locks"}; }

 private:
  std::unique_ptr<memory::MemoryStore> store_ = std::make_unique<memory::MemoryStore>();
};

std::unique_ptr<World> memory_world() { return std::make_unique<MemoryWorld>(); }

}  // namespace

ATMOST_CONTRACT(memory, memory_world);

}  // namespace atmost::contract
