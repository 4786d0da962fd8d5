// The classes of this machine, and those that are set here and now.
#ifndef ATMOST_LIBEXEC_PASS_HOST_H
#define ATMOST_LIBEXEC_PASS_HOST_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pass_file.h"
#include "request/classes.h"
#include "zone.h"

namespace atmost::pass {

struct Host {
  std::string name;        // as the machine calls itself, or --host; what locks are named after
  std::string full_name;   // with its domain, if /etc/hosts has it; else the same
  std::string system;      // uname -s
  std::string machine;     // uname -m
  std::string os_release;  // the text of /etc/os-release; empty when there is none
};

// Reads it all from this machine; `name` replaces the machine's own when it is not empty. Sends
// nothing to a network.
Host this_host(std::string_view name);

// The name with a domain that hosts(5) text gives to `name`; `name` itself when it has one or none
// is found.
std::string full_name_in(std::string_view hosts, const std::string& name);

// Letters and digits stay, all other characters become _, as in cfengine's classes.
std::string class_name(std::string_view text);

// any; the host's name and its domain's parts (web1, web1_example_com, example_com, com); the
// system (linux); the distribution with ever more of its version (debian, debian_12); the
// architecture (x86_64).
std::set<std::string> hard_classes(const Host& host);

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
