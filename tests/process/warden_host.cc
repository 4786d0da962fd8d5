// A warden as a program, for tests: warden_host PROGRAM [ARG]... ; see core/warden.h.
#include <stdio.h>
#include <unistd.h>

#include "core/warden.h"

namespace {

void killed() {
  constexpr char kWords[] = "killed\n";
  if (write(2, kWords, sizeof kWords - 1) < 0) return;
}

}  // namespace

int main(int, char** argv) {
  return static_cast<int>(atmost::warden_program(argv + 1, {killed, nullptr}).code);
}
