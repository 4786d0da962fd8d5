// A pass over one file: which atoms are due, and their way through the limiter.
#ifndef ATMOST_LIBEXEC_PASS_PASS_H
#define ATMOST_LIBEXEC_PASS_PASS_H

#include "atmost/place.h"
#include "host_classes.h"
#include "options.h"
#include "pass_file.h"
#include "say.h"
#include "zone.h"

namespace atmost::pass {

class Pass {
 public:
  Pass(const Options& options, const PassFile& file, const Host& host, const Surroundings& around);

  // What would become of every atom, on standard output. The exit code.
  int dry_run();
  // The classes of this host and moment, one a line, on standard output.
  int show_classes();
  // Runs what is due, in the file's order, up to --jobs side by side, and says what there is to say. The exit code:
  // 0, or 1 when an atom failed. When a signal that ends programs came, no further atom is started, those that run
  // are told, and after them this process ends by that signal.
  int run();

 private:
  struct Turn {
    Instant now;
    Moment moment;
  };
  Turn turn() const;  // the pass's moment, or with --clock=atom this one
  // Whether the atom is due; else `fate` says why not.
  bool is_due(const Atom& atom, const Turn& at, Fate& fate);
  // Says it where it is to be heard, and remembers failures.
  void tell(const Atom& atom, const Fate& fate);

  const Options& options_;
  const PassFile& file_;
  const Surroundings& around_;
  Zone zone_;
  HostClasses classes_;
  Turn first_;
  bool all_told_ = false;  // not only what needs attention
  bool failed_ = false;
  int told_to_end_ = 0;
};

}  // namespace atmost::pass

#endif
