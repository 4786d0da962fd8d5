#include "reader/exact_option.h"

#include <string_view>

namespace atmost::history {

int next_option(int argc, char** argv, const char* letters, const option* all) {
  int index = -1;
  const int found = getopt_long(argc, argv, letters, all, &index);
  if (found == -1 || index < 0) return found;
  const bool apart = optarg != nullptr && optarg == argv[optind - 1];
  std::string_view typed = argv[optind - (apart ? 2 : 1)];
  typed.remove_prefix(2);
  typed = typed.substr(0, typed.find('='));
  if (typed == all[index].name) return found;
  if (apart) --optind;  // the caller names argv[optind - 1], and reads no further
  return '?';
}

}  // namespace atmost::history
