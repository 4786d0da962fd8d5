#include "store/etcd/wire.h"

#include <gtest/gtest.h>

namespace atmost::etcd {
namespace {

TEST(Versions, InWhichLeasesAreKept) {
  for (const char* one : {"3.4.31", "3.4.100", "3.5.13", "3.5.21", "3.6.0", "3.6.0-rc.1", "3.10.2",
                          "4.0.0", "3.5.13+git"})
    EXPECT_EQ(leases_of(one), Leases::kept) << one;
  for (const char* one : {"3.4.23", "3.4.30", "3.5.0", "3.5.12", "3.3.27", "2.3.8", "3.4.0-rc.1"})
    EXPECT_EQ(leases_of(one), Leases::ended_early) << one;
  for (const char* one :
       {"", "3", "3.4", "3.4.", "v3.5.13", "3.5.13x", "3.5.-13", "3..5", "99999999999.0.0"})
    EXPECT_EQ(leases_of(one), Leases::unknown) << one;
}

}  // namespace
}  // namespace atmost::etcd
