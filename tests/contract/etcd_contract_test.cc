#include <memory>

#include "contract.h"
#include "etcd/kit/cluster.h"
#include "store/etcd/store.h"
#include "store/etcd/wire.h"

namespace atmost::contract {
namespace {

// One cluster for all tests of this program; it goes when that ends.
etcd_kit::Cluster& cluster() {
  static etcd_kit::Cluster made;
  return made;
}

// Every test has a prefix of its own, and every caller a store, a lease and connections of its own.
class EtcdWorld final : public World {
 public:
  EtcdWorld() : prefix_("/contract" + std::to_string(++worlds)) {
    for (unsigned i = 0; i < cluster().count(); ++i)
      access_.endpoints.push_back("http://" + cluster().host(i));
    access_.prefix = prefix_;
  }

  Store& caller() override {
    stores_.push_back(std::make_unique<etcd::EtcdStore>(access_, false));
    return *stores_.back();
  }
  void point(LockSpec& spec, unsigned index) override {
    const std::string name = "lock" + std::to_string(index);
    spec.name = kept(name);
    spec.path = kept("etcd://test" + prefix_ + "/" + name + ".lock");
  }
  std::set<std::string> lacks() override { return {"last_admission", "withdraws"}; }
  std::optional<std::string> bytes() override {
    const std::string body = "{\"key\":\"" + etcd::base64(prefix_) + "\",\"range_end\":\"" +
                             etcd::base64(etcd::end_of_prefix(prefix_)) + "\"}";
    const std::string all = etcd_kit::fetch(cluster().host(0), "/v3/kv/range", body.c_str());
    EXPECT_FALSE(all.empty());
    const std::size_t keys = all.find("\"kvs\"");
    return keys == std::string::npos ? "" : all.substr(keys);
  }

 private:
  static inline unsigned worlds = 0;
  std::string prefix_;
  etcd::Access access_;
  std::vector<std::unique_ptr<etcd::EtcdStore>> stores_;
};

std::unique_ptr<World> etcd_world() { return std::make_unique<EtcdWorld>(); }

}  // namespace

ATMOST_CONTRACT(etcd, etcd_world);

}  // namespace atmost::contract
