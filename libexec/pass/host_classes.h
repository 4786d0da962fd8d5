// The classes that are set here and now.
#ifndef ATMOST_LIBEXEC_PASS_HOST_CLASSES_H
#define ATMOST_LIBEXEC_PASS_HOST_CLASSES_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host.h"
#include "pass_file.h"
#include "request/classes.h"
#include "zone.h"

namespace atmost::pass {

// Runs a group's command; true if it exited 0.
using Ask = std::function<bool(const std::string& group, const std::vector<std::string>& command)>;

// Time, host and groups. A group's command is run when an answer needs it, once in the life of this
// object.
class HostClasses {
 public:
  HostClasses(const Host& host, const std::map<std::string, Group>& groups, Ask ask);

  bool holds(const std::string& expression, const request::CivilTime& time);
  // The classes that are set, groups included (so their commands run), sorted, time classes first.
  std::vector<std::string> all(const request::CivilTime& time);

 private:
  bool group_holds(const std::string& name, const Group& group);
  bool has(std::string_view name, const request::CivilTime& time);

  const Host& host_;
  const std::map<std::string, Group>& groups_;
  Ask ask_;
  std::set<std::string> hard_;
  std::map<std::string, bool> answered_;
};

// True if the host goes by `pattern` (a name, or fnmatch(3) with * ? []; case does not count),
// fully or without domain.
bool host_matches(const Host& host, const std::string& pattern);

// Runs the command, its standard streams empty and its errors ours, for at most ten seconds: then
// it is stopped, the class is not set, and `remark` is reported.
bool ask_command(const std::string& group, const std::vector<std::string>& command,
                 const std::function<void(const std::string&)>& remark);

}  // namespace atmost::pass

#endif
