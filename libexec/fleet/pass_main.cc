// atmost-pass-fleet: atmost pass with a store that many machines share.
#include "pass/program.h"
#include "stores.h"

int main(int argc, char** argv) { return atmost::pass::run_program(argc, argv, &atmost::kService); }
