// atmost-pass: with locks in files of this machine.
#include "program.h"

int main(int argc, char** argv) { return atmost::pass::run_program(argc, argv, nullptr); }
