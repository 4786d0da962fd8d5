// The directories above a file: those in which others may rename files, and symbolic links, which
// others may lead elsewhere. Functions return 0 or an errno value.
#ifndef ATMOST_OS_ABOVE_H
#define ATMOST_OS_ABOVE_H

#include <cstdint>
#include <string_view>

#include "core/text.h"
#include "file.h"

namespace atmost {

// The reasons against writing a file below a directory, and the words for them.
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

namespace atmost::os {

// The caller: root writes nothing where another user could rename or replace directories.
enum class Standard : unsigned char {
  any_user,  // no directory is writable for all without the sticky bit
  root,      // directories and links belong to root
};

// Follows the path to its last name, which may exist or not, component by component. `which` is the
// directory or the link in question, or the one that could not be examined when an errno comes
// back; without a hazard it is the path without links, whose last name was not followed. `texts`
// keeps it.
int find_hazard(const char* path, Standard standard, Hazard& to, Arena& texts, TextView& which);

// For writing files: root for root.
Standard own_standard();

// True if the directory that holds this file passes its group on to new files, and lets the group
// but no one else write: then its group, whose members share on purpose what is in it. False when
// it cannot be examined.
bool is_shared_by_group(const char* file, std::uint32_t& group);

// Creates the directories above `path` that are missing: for root as usual, for others private
// ones. 0 or an errno value; then `which`, kept by `texts`, could not be created.
int make_directories_above(std::string_view path, Arena& texts, TextView& which);

}  // namespace atmost::os

#endif
