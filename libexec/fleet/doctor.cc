#include "doctor.h"

#include "core/limiter.h"
#include "doctor/options.h"
#include "os/file.h"
#include "os/self.h"
#include "reader/output.h"
#include "stores.h"

namespace atmost {
namespace {

int run_store_doctor(int argc, char** argv) {
  const doctor::Options options = doctor::parse_options(argc, argv, kDoctor);
  if (doctor::answer_help(options, kDoctor, doctor::kDoctorUsage)) return 0;
  const std::string url = doctor::doctor_target(options);
  const Result<Code> means = kService.diagnose(url, 1, options.json);
  if (!means.ok()) throw history::Failure(means.error());
  return static_cast<int>(means.value());
}

}  // namespace

int run_doctor(int argc, char** argv) {
  os::keep_standard_streams();
  if (!os::has_raised_rights()) return history::run_guarded(run_store_doctor, argc, argv);
  history::complain(
      "refuses to run set-user-id or set-group-id: its arguments and environment are the caller's");
  return static_cast<int>(Code::not_permitted);
}

}  // namespace atmost
