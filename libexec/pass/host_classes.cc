#include "host_classes.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>

namespace atmost::pass {
namespace {

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

bool host_matches(const Host& host, const std::string& pattern) {
  const std::string wanted = lowered(pattern);
  for (const std::string& name :
       {host.name, host.full_name, host.name.substr(0, host.name.find('.'))}) {
    if (fnmatch(wanted.c_str(), lowered(name).c_str(), 0) == 0) return true;
  }
  return false;
}

HostClasses::HostClasses(const Host& host, const std::map<std::string, Group>& groups, Ask ask)
    : host_(host), groups_(groups), ask_(std::move(ask)), hard_(hard_classes(host)) {}

bool HostClasses::group_holds(const std::string& name, const Group& group) {
  const auto known = answered_.find(name);
  if (known != answered_.end()) return known->second;
  const auto ours = [this](const std::string& pattern) { return host_matches(host_, pattern); };
  const bool answer = std::any_of(group.hosts.begin(), group.hosts.end(), ours) ||
                      (!group.command.empty() && ask_(name, group.command));
  answered_[name] = answer;
  return answer;
}

bool HostClasses::has(std::string_view name, const request::CivilTime& time) {
  const request::TimeClass timed = request::time_class(name);
  if (timed.unit != request::TimeUnit::none) return request::covers(timed, time);
  const std::string word(name);
  const auto group = groups_.find(word);
  return group != groups_.end() ? group_holds(word, group->second) : hard_.contains(word);
}

bool HostClasses::holds(const std::string& expression, const request::CivilTime& time) {
  struct At final : request::Classes {
    At(HostClasses& from, const request::CivilTime& when) : classes(from), time(when) {}
    bool has(std::string_view name) override { return classes.has(name, time); }
    HostClasses& classes;
    const request::CivilTime& time;
  } at(*this, time);
  return expression.empty() || request::evaluate(expression, at);
}

std::vector<std::string> HostClasses::all(const request::CivilTime& time) {
  std::vector<std::string> names;
  Text<15> timed[request::kTimeClassCount];
  request::list_time_classes(time, timed);
  for (const auto& name : timed) names.emplace_back(name.view());
  std::set<std::string> others = hard_;
  for (const auto& [name, group] : groups_) {
    others.erase(name);  // a group of that name is what counts
    if (group_holds(name, group)) others.insert(name);
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

}  // namespace atmost::pass
