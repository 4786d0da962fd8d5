// atmost, without the stores that many machines share.
#include "program.h"

int main(int argc, char** argv) { return atmost::cli::run_program(argc, argv, nullptr); }
