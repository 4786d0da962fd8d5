// A monitor as a program, for tests: monitor_host PROGRAM [ARG]... ; see core/monitor.h.
#include <stdio.h>
#include <unistd.h>

#include "core/monitor.h"

namespace {

void killed() {
  constexpr char kWords[] = "killed\n";
  if (write(2, kWords, sizeof kWords - 1) < 0) return;
}

}  // namespace

int main(int, char** argv) {
  return static_cast<int>(atmost::monitor_program(argv + 1, {.killed = killed}).code);
}
