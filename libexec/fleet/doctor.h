// atmost doctor, for a store that many machines share.
#ifndef ATMOST_LIBEXEC_FLEET_DOCTOR_H
#define ATMOST_LIBEXEC_FLEET_DOCTOR_H

namespace atmost {

// argv[1] … are the arguments of atmost doctor, which name such a store. Returns the exit code.
int run_doctor(int argc, char** argv);

}  // namespace atmost

#endif
