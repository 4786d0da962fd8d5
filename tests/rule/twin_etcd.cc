// Memory and etcd, asked alike (twins.h), without rates and intervals, which etcd measures by
// clocks of its own (store/etcd/ring.h, intervals.h). With them a seed in four or five differs, for
// one reason: in memory a waiter is due when it said so at its last look, in etcd when the
// admissions say so now (store/etcd/facts.cc). After a start that was taken back, or `forget`, it
// is due in etcd before it has looked again.
#include <memory>

#include "etcd/kit/cluster.h"
#include "store/etcd/store.h"
#include "twins.h"

namespace atmost::twins {
namespace {

class Etcd final : public Other {
 public:
  Side begin(unsigned seed) override {
    etcd::Access access;
    for (unsigned i = 0; i < cluster_.count(); ++i)
      access.endpoints.push_back("http://" + cluster_.host(i));
    access.prefix = "/twin" + std::to_string(seed);
    store_ = std::make_unique<etcd::EtcdStore>(access, false);
    return {&*store_, "etcd://there" + access.prefix + "/twin.lock", open_any, false};
  }

 private:
  etcd_kit::Cluster cluster_;
  std::unique_ptr<etcd::EtcdStore> store_;
};

}  // namespace
}  // namespace atmost::twins

int main(int argc, char** argv) {
  atmost::twins::Etcd etcd;
  return atmost::twins::compare(etcd, argc, argv);
}
