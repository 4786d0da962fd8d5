// atmost-fleet: atmost with a store that many machines share, chosen when it is built
// (CMakeLists.txt). Started by atmost for --store or $ATMOST_STORE, by atmost-doctor and by
// atmost-pass.
#include <cstdlib>
#include <string_view>

#include "cli/program.h"
#include "core/limiter.h"
#include "core/schemes.h"
#include "doctor/options.h"
#include "os/file.h"
#include "os/self.h"
#include "pass/program.h"
#include "reader/output.h"
// The room's store.h, which declares open_store(), end_lease() and diagnose().
#include ATMOST_STORE_HEADER

namespace atmost {
namespace {

// The other stores' variables are secret, too: the command needs none of them.
void remove_secrets() {
  for (const Scheme& scheme : kSchemes) {
    for (const char* secret : scheme.secrets) {
      if (secret != nullptr) unsetenv(secret);
    }
  }
}

Result<Store*> open_without_secrets(std::string_view url) {
  Result<Store*> opened = ATMOST_STORE::open_store(url);
  remove_secrets();
  return opened;
}

constexpr StoreService kService = {open_without_secrets, ATMOST_STORE::end_lease,
                                   ATMOST_STORE::diagnose};

// argv[1] … are the arguments of atmost doctor, which name such a store.
int run_store_doctor(int argc, char** argv) {
  const doctor::Options options = doctor::parse_options(argc, argv, kDoctor);
  if (doctor::answer_help(options, kDoctor, doctor::kDoctorUsage)) return 0;
  const std::string url = doctor::doctor_target(options);
  const Result<Code> means = kService.diagnose(url, 1, options.json);
  if (!means.ok()) throw history::Failure(means.error());
  return static_cast<int>(means.value());
}

int run_doctor(int argc, char** argv) {
  os::keep_standard_streams();
  if (!os::has_raised_rights()) return history::run_guarded(run_store_doctor, argc, argv);
  history::complain(
      "refuses to run set-user-id or set-group-id: its arguments and environment are the caller's");
  return static_cast<int>(Code::not_permitted);
}

}  // namespace
}  // namespace atmost

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "doctor") return atmost::run_doctor(argc - 1, argv + 1);
#ifdef ATMOST_PASS
  if (what == atmost::pass::kPass)
    return atmost::pass::run_program(argc - 1, argv + 1, &atmost::kService);
#endif
  return atmost::cli::run_program(argc, argv, &atmost::kService);
}
