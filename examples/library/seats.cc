// Four licence seats shared by every program that asks, in C++: the slot is the seat's number.
//
//     c++ -std=c++17 seats.cc $(pkg-config --cflags --libs atmost) -o seats && ./seats
#include <cstdio>

#include "atmost/atom.h"

int main(int argc, char** argv) {
  atmost::Limits limits;
  limits.set("max", 4).set("wait", 10);  // seconds
  const atmost::Held seat = atmost::Named(argc > 1 ? argv[1] : "licence").get_lock(limits);
  if (!seat) {
    std::fprintf(stderr, "no seat: %s\n", seat.reason().c_str());
    return seat.answer();
  }
  std::printf("seat %u\n", seat.slot());
}
