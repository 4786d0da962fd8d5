#!/bin/sh
# --slack counts an interval as over a little early, so that an hourly job whose clock is early by
# less than a second still runs.
. "$(dirname "$0")/lib.sh"

at() {
  code=$1 now=$2
  shift 2
  expect_code "$code" atmost run --now "$now" --if-elapsed 1h "$@" hourly true
}
at 0 1000000000
at 76 1000003599.7
at 76 1000003570 --slack 20s
expect_in err "started less than 59m40s ago: come back in 10s"
at 0 1000003599.7 --slack 20s
expect_code 76 atmost check --now 1000007170 --if-elapsed 1h --slack 20s hourly
expect_code 0 atmost check --now 1000007180 --if-elapsed 1h --slack 20s hourly

refused() {
  message=$1
  shift
  expect_code 64 atmost run "$@" hourly true
  expect_line 1 err
  expect_in err "$message"
}
refused '--slack: is more than a tenth of --if-elapsed' --slack 361s --if-elapsed 1h
refused '--slack: shortens an interval' --slack 1s
refused '--slack: shortens an interval' --slack 1s --if-elapsed inf
refused '--slack: a learned interval' --slack 1s --if-elapsed auto
refused '--slack: ' --slack inf --if-elapsed 1h
