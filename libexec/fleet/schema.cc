// atmost schema STORE: prints the objects that an administrator has to create in a store whose
// users may not create them.
#include <cstring>
#include <iostream>

#include "store/postgres/store.h"

int main(int argc, char** argv) {
  constexpr char kUsage[] =
      "usage: atmost schema postgres\n\n"
      "Prints the tables that --store postgres://... keeps locks in, as a script for psql.\n";
  if (argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
    std::cout << kUsage << std::flush;
    return std::cout ? 0 : 74;
  }
  if (argc != 2 || std::strcmp(argv[1], "postgres") != 0) {
    std::cerr << "atmost: schema: say which store's: atmost schema postgres\n";
    return 64;
  }
  std::cout << atmost::postgres::schema_script() << std::flush;
  if (std::cout) return 0;
  std::cerr << "atmost: schema: cannot write to standard output\n";
  return 74;
}
