// A pass over one file: its atoms that are due, and their way through the limiter.
#ifndef ATMOST_LIBEXEC_PASS_PASS_H
#define ATMOST_LIBEXEC_PASS_PASS_H

#include "core/parse.h"
#include "host.h"
#include "job.h"
#include "options.h"
#include "pass_file.h"
#include "say.h"
#include "zone.h"

namespace atmost::pass {

// The stores in which the locks of atoms are.
struct Stores {
  Store& files;
  Store* shared = nullptr;  // the one of options.store; null: none is
};

class Pass {
 public:
  // `secrets`: of stores.shared.
  Pass(const Options& options, const PassFile& file, const Host& host, const NamingContext& around,
       const Stores& stores, Variables secrets);

  // Prints for every atom, on standard output, if it would run, and if not, why. Returns the exit
  // code: 0, or 69 as in run().
  int dry_run();
  // Prints the classes of this host and moment, one a line, on standard output.
  int show_classes();
  // Runs the atoms that are due, in the file's order, up to --jobs side by side, and reports on
  // them. Returns the exit code: 0; 1 when an atom failed; 69 when the store could not be reached:
  // its atoms are not run then. After a signal that ends programs no further atom is started, those
  // that run are reported, and then this process ends by that signal.
  int run();

 private:
  struct Turn {
    Instant now;
    Moment moment;
  };
  Turn turn() const;  // the pass's moment, or with --clock=atom this one
  // The atom's job if it is due; else `result` has the reason. `ask`: this process itself may ask
  // the atom's store.
  std::optional<Job> due(const Atom& atom, const Turn& at, bool ask, AtomResult& result);
  // Reports the result in the form that the options choose, and records failures.
  void tell(const Atom& atom, const AtomResult& result);
  void note(const AtomResult& result);
  int exit_code() const;

  const Options& options_;
  const PassFile& file_;
  const NamingContext& around_;
  const Stores stores_;
  const Variables secrets_;
  Zone zone_;
  HostClasses classes_;
  Turn first_;
  bool all_told_ = false;  // reports every atom, not only those that need attention
  bool failed_ = false;
  bool out_of_reach_ = false;  // the store
  int termination_signal_ = 0;
};

}  // namespace atmost::pass

#endif
