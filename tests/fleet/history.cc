#include "history.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace fleet_kit {
namespace {

constexpr const char* kHead = "atmost-history 1 slots ";

std::string name_of(const Use& use) {
  std::string name = "token " + std::to_string(use.token) + " on slot ";
  for (std::size_t i = 0; i < use.slots.size(); ++i)
    name += (i > 0 ? "," : "") + std::to_string(use.slots[i]);
  return name;
}

std::string malformed(const Use& use, std::uint32_t slots) {
  const std::set<std::uint32_t> distinct(use.slots.begin(), use.slots.end());
  if (use.slots.empty() || distinct.size() != use.slots.size()) return "one slot twice, or none";
  if (*distinct.begin() < 1 || *distinct.rbegin() > slots) return "no such slot";
  if (!(use.asked <= use.begun)) return "begun before it was asked for";
  if (!(use.begun <= use.ended)) return "ended before it was begun";
  return "";
}

// Two uses that meet on one slot, without a look at tokens.
std::string meeting(const std::vector<Use>& uses) {
  std::vector<const Use*> by_begin;
  for (const Use& use : uses) by_begin.push_back(&use);
  std::sort(by_begin.begin(), by_begin.end(), [](const Use* one, const Use* other) {
    return std::pair(one->begun, one->ended) < std::pair(other->begun, other->ended);
  });
  std::map<std::uint32_t, const Use*> latest;
  for (const Use* use : by_begin) {
    for (std::uint32_t slot : use->slots) {
      const Use*& before = latest[slot];
      if (before != nullptr && before->ended > use->begun) {
        return name_of(*use) + ": begun while " + name_of(*before) + " used it";
      }
      if (before == nullptr || use->ended > before->ended) before = use;
    }
  }
  return "";
}

bool read_slots(const std::string& text, std::vector<std::uint32_t>& slots) {
  std::istringstream words(text);
  for (std::string one; std::getline(words, one, ',');) {
    if (one.empty() || one.size() > 9 || one.find_first_not_of("0123456789") != std::string::npos)
      return false;
    slots.push_back(static_cast<std::uint32_t>(std::stoul(one)));
  }
  return !slots.empty() && text.back() != ',';
}

bool read_use(const std::string& line, Use& use) {
  std::istringstream words(line);
  std::string slots, rest;
  return words >> slots >> use.token >> use.asked >> use.begun >> use.ended && !(words >> rest) &&
         read_slots(slots, use.slots) && std::isfinite(use.asked + use.begun + use.ended);
}

}  // namespace

std::string contradiction(const History& history) {
  for (const Use& use : history.uses) {
    const std::string what = malformed(use, history.slots);
    if (!what.empty()) return name_of(use) + ": " + what;
  }
  const std::string what = meeting(history.uses);
  if (!what.empty()) return what;
  std::vector<Use> uses = history.uses;
  std::sort(uses.begin(), uses.end(),
            [](const Use& one, const Use& other) { return one.token < other.token; });
  std::map<std::uint32_t, double> free_from;
  double moment = 0;
  const Use* before = nullptr;
  for (const Use& use : uses) {
    if (before != nullptr && use.token == before->token)
      return name_of(use) + ": a token given twice";
    moment = std::max(moment, use.asked);
    for (std::uint32_t slot : use.slots) moment = std::max(moment, free_from[slot]);
    if (moment > use.begun)
      return name_of(use) + ": begun before it can have been granted, if tokens increase";
    for (std::uint32_t slot : use.slots) free_from[slot] = use.ended;
    before = &use;
  }
  return "";
}

bool write(const History& history, const std::string& title, const std::string& path) {
  FILE* const file = fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  fprintf(file, "%s%u\n# %s\n# SLOTS TOKEN ASKED BEGUN ENDED (boot clock, seconds)\n", kHead,
          history.slots, title.c_str());
  for (const Use& use : history.uses) {
    for (std::size_t i = 0; i < use.slots.size(); ++i)
      fprintf(file, "%s%u", i > 0 ? "," : "", use.slots[i]);
    fprintf(file, " %llu %.9f %.9f %.9f\n", static_cast<unsigned long long>(use.token), use.asked,
            use.begun, use.ended);
  }
  const bool whole = ferror(file) == 0;
  return fclose(file) == 0 && whole;
}

History read(const std::string& path, std::string& why) {
  History history;
  why.clear();
  std::ifstream file(path);
  std::string line;
  const std::string head = kHead;
  if (!std::getline(file, line)) {
    why = path + ": " + (file.is_open() ? "empty" : strerror(errno));
    return history;
  }
  std::vector<std::uint32_t> slots;
  if (line.compare(0, head.size(), head) != 0 || !read_slots(line.substr(head.size()), slots) ||
      slots.size() != 1) {
    why = path + ":1: not a history; it should begin with: " + head + "N";
    return history;
  }
  history.slots = slots[0];
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    Use use;
    if (!read_use(line, use)) {
      why = path + ":" + std::to_string(number) +
            ": not a use; it should be: SLOT[,SLOT...] TOKEN ASKED BEGUN ENDED";
      return history;
    }
    history.uses.push_back(use);
  }
  return history;
}

}  // namespace fleet_kit
