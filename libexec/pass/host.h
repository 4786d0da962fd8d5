// The hard classes of this machine.
#ifndef ATMOST_LIBEXEC_PASS_HOST_H
#define ATMOST_LIBEXEC_PASS_HOST_H

#include <set>
#include <string>
#include <string_view>

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

}  // namespace atmost::pass

#endif
