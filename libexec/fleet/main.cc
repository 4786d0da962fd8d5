// atmost-fleet: atmost with the stores that many machines share. Started by atmost when --store or
// $ATMOST_STORE says so.
#include "cli/program.h"
#include "stores.h"

int main(int argc, char** argv) { return atmost::cli::run_program(argc, argv, &atmost::kService); }
