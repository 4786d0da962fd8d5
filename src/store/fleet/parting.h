// A caller that is told to end while it waits first gives its place up: no kernel does it for a
// fleet.
#ifndef ATMOST_STORE_FLEET_PARTING_H
#define ATMOST_STORE_FLEET_PARTING_H

namespace atmost::fleet {

// While armed, HUP, INT, QUIT and TERM (those that are not ignored) do not end the process but are
// noted. Process-wide, one at a time. The destructor puts the old dispositions back.
class Parting {
 public:
  Parting() = default;
  Parting(const Parting&) = delete;
  Parting& operator=(const Parting&) = delete;
  ~Parting() { disarm(); }

  void arm();
  void disarm();
  bool armed() const { return armed_; }
  // Whether one came since then.
  bool asked() const;
  // Readable (poll(2)) from then on; -1 when not armed.
  int descriptor() const;
  // Ends this process as the signal would have. REQUIRES: asked() was true.
  [[noreturn]] void obey();

 private:
  bool armed_ = false;
};

}  // namespace atmost::fleet

#endif
