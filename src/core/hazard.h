// The reasons against writing a file below a directory, and the words for them.
#ifndef ATMOST_HAZARD_H
#define ATMOST_HAZARD_H

#include <cstdint>
#include <string_view>

#include "core/text.h"

namespace atmost {

enum class Hazard : std::uint8_t {
  none,
  open_to_all,  // everybody may rename files in the directory
  other_user,   // it belongs to another user
  link,         // it is a symbolic link; of another user, where links are followed
};

template <class To>
void append_hazard(To& to, Hazard hazard, std::string_view which) {
  switch (hazard) {
    case Hazard::none:
      return;
    case Hazard::open_to_all:
      to.append("everybody may rename files in ").append(which);
      to.append("; chmod o-w or chmod +t it, or use another directory");
      return;
    case Hazard::other_user:
      to.append(which).append(" belongs to another user, who may rename files in it; root uses ");
      to.append("a directory of its own");
      return;
    case Hazard::link:
      to.append(which).append(" is a symbolic link of another user, which root does not follow; ");
      to.append("name the directory itself");
      return;
  }
}

}  // namespace atmost

#endif
