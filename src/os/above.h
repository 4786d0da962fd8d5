// The directories above a file: those in which others may rename files, and symbolic links, which
// others may lead elsewhere. Functions return 0 or an errno value.
#ifndef ATMOST_OS_ABOVE_H
#define ATMOST_OS_ABOVE_H

#include "core/hazard.h"
#include "core/text.h"

namespace atmost::os {

// The caller: root writes nothing where another user could rename or replace directories.
enum class Standard : unsigned char {
  any_user,  // no directory is writable for all without the sticky bit
  root,      // directories and links belong to root
};

// One directory. A symbolic link is Hazard::link: find_hazard() follows it.
int hazard_of(const char* directory, Standard standard, Hazard& to);

// Follows the path to its last name, which may exist or not, component by component. `which` is the
// directory or the link in question, or the one that could not be examined when an errno comes
// back; without a hazard it is the path without links, whose last name was not followed. `texts`
// keeps it.
int find_hazard(const char* path, Standard standard, Hazard& to, Arena& texts, TextView& which);

// For writing files: root for root.
Standard own_standard();

}  // namespace atmost::os

#endif
