// atmost-fleet: atmost with the stores that many machines share. Started by atmost for --store or
// $ATMOST_STORE, and by atmost-doctor.
#include <string_view>

#include "cli/program.h"
#include "doctor.h"
#include "stores.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "doctor")
    return atmost::run_doctor(argc - 1, argv + 1);
  return atmost::cli::run_program(argc, argv, &atmost::kService);
}
