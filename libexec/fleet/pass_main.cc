// atmost-pass-fleet: atmost pass with a store that many machines share.
#include "pass/fleet.h"
#include "stores.h"

int main(int argc, char** argv) {
  constexpr const char* kSecrets[] = {"ATMOST_ETCD_PASSWORD", "ATMOST_ETCD_TOKEN",
                                      "ATMOST_POSTGRES_PASSWORD"};
  const atmost::pass::Fleet fleet = {atmost::bring_fleet_store, kSecrets};
  return atmost::pass::run_program(argc, argv, &fleet);
}
