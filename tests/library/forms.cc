// Every way to write a call of atom.h. It is only compiled: forms.sh.
#include "atmost/atom.h"

int main() {
  atmost_may_be_killed(1);
  const atmost::Atom atom("editfile", "/etc/motd");
  const atmost::Named named("licence");
  atmost::Limits limits;
  limits.set("shared").set("max", 4u).set("wait", 0.5).set("rate", "5/1m");
  limits.set("if_elapsed", atmost::kAuto).set("id", std::string("a note"));
  atmost::Atom::Terms terms;
  terms.if_elapsed = 900;
  bool held = atom.get_lock() && atom.get_lock({}) && atom.get_lock(terms) &&
              atom.get_lock(limits) && named.get_lock() && named.get_lock({}) &&
              named.get_lock(terms) && named.get_lock(limits);
#if __cplusplus >= 202002L
  held = held && atom.get_lock({.if_elapsed = 900, .expire_after = 5400});
  held = held && named.get_lock({.max = 4, .wait = 10});
#endif
  return held ? 0 : 1;
}
