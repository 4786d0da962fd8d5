#include "nemesis.h"

#include <signal.h>

#include <algorithm>

namespace fleet_kit {

void Nemesis::add(const std::string& what, unsigned weight, double least, double most,
                  std::function<Undo()> strike, const std::string& apart) {
  kinds_.push_back({what, weight, least, most, std::move(strike), apart});
}

void Nemesis::tend() {
  const double now = seconds_now();
  for (std::size_t i = 0; i < wounds_.size();) {
    if (now < wounds_[i].until) {
      ++i;
      continue;
    }
    const Undo undo = wounds_[i].undo;
    wounds_.erase(wounds_.begin() + static_cast<long>(i));
    undo();
  }
  if (now < next_) return;
  next_ = now + 0.1 + pick(300) / 1000.0;
  unsigned all = 0;
  for (const Kind& kind : kinds_) all += kind.weight;
  unsigned chosen = pick(all);
  std::size_t i = 0;
  for (; chosen >= kinds_[i].weight; ++i) chosen -= kinds_[i].weight;
  const Kind& kind = kinds_[i];
  const double seconds = kind.least + (kind.most - kind.least) * pick(1000) / 1000.0;
  const auto is_same = [&](const Wound& wound) {
    return !kind.apart.empty() && wound.apart == kind.apart;
  };
  if (std::any_of(wounds_.begin(), wounds_.end(), is_same)) return;
  ++tally_[kind.what];
  Undo undo = kind.strike();
  if (undo) wounds_.push_back({now + seconds, std::move(undo), kind.apart});
}

void Nemesis::calm() {
  for (const Wound& wound : wounds_) wound.undo();
  wounds_.clear();
}

// A client that uses a slot, if there is one; now and then one that waits.
pid_t Nemesis::victim(Crowd& crowd, Witness& witness) {
  std::vector<Witness::User> users = witness.users();
  // Half of the time one that stays for longer: a lease has to be renewed there.
  if (pick(2) == 0)
    std::erase_if(users, [](const auto& user) { return user.until < seconds_now() + 0.5; });
  const pid_t holder = users.empty() ? 0 : users[pick(static_cast<unsigned>(users.size()))].group;
  return holder != 0 && crowd.has(holder) && pick(4) != 0 ? holder : crowd.any(pick(1u << 30));
}

Nemesis::Undo Nemesis::stop(Crowd& crowd, Witness& witness, bool whole_host, double longest) {
  const pid_t group = victim(crowd, witness);
  if (group == 0 || !stopped_.insert(group).second) return {};
  pid_t target = -group;
  if (whole_host) {
    witness.sleeps(group);
  } else {
    const std::vector<pid_t> processes = group_of(group);
    if (!processes.empty()) target = processes[pick(static_cast<unsigned>(processes.size()))];
    if (processes.empty()) return {};
    // Now and then its command stays until the lease must have ended.
    if (pick(3) == 0) witness.linger(group, seconds_now() + longest);
  }
  kill(target, SIGSTOP);
  // As a shell continues a job: whole. Its leader stops with a command that was stopped.
  return [this, group] {
    kill(-group, SIGCONT);
    stopped_.erase(group);
  };
}

void Nemesis::add_clients(Crowd& crowd, Witness& witness, double longest) {
  add("process killed", 4, 0, 0, [&]() -> Undo {
    const std::vector<pid_t> processes = group_of(victim(crowd, witness));
    if (!processes.empty()) kill(processes[pick(static_cast<unsigned>(processes.size()))], SIGKILL);
    return {};
  });
  add("host died", 3, 0, 0, [&]() -> Undo {
    if (const pid_t group = victim(crowd, witness)) kill(-group, SIGKILL);
    return {};
  });
  add("process stopped", 4, 0.2, longest,
      [&, longest] { return stop(crowd, witness, false, longest); });
  add("host slept", 4, 0.2, longest, [&, longest] { return stop(crowd, witness, true, longest); });
}

long Nemesis::clock_shift() {
  const long range = pick(3) == 0 ? 3 : 3600;
  return static_cast<long>(pick(static_cast<unsigned>(2 * range + 1))) - range;
}

std::string Nemesis::tally() const {
  std::string words;
  for (const auto& [what, count] : tally_)
    words += (words.empty() ? "" : ", ") + what + " " + std::to_string(count);
  return words;
}

}  // namespace fleet_kit
