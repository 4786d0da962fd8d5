// atmost-pass-fleet: atmost pass with a store that many machines share.
#include "pass/fleet.h"
#include "stores.h"

int main(int argc, char** argv) {
  const atmost::pass::Fleet fleet = {atmost::bring_fleet_store, atmost::kSecrets};
  return atmost::pass::run_program(argc, argv, &fleet);
}
