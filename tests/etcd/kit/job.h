// Processes that a test starts: those of every fleet test.
#ifndef ATMOST_TESTS_ETCD_KIT_JOB_H
#define ATMOST_TESTS_ETCD_KIT_JOB_H

#include "fleet/job.h"

namespace etcd_kit {

using fleet_kit::alive;
using fleet_kit::await_contents;
using fleet_kit::contents;
using fleet_kit::Job;
using fleet_kit::run_line;
using fleet_kit::Said;
using fleet_kit::seconds_now;
using fleet_kit::shell;

}  // namespace etcd_kit

#endif
