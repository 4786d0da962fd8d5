# Every *.test of this folder, each in a process of its own; ends with 1 if one fails.
package require tcltest 2.4
tcltest::configure -testdir [file dirname [file normalize [info script]]] \
    -tmpdir [expr {[info exists env(TMPDIR)] ? $env(TMPDIR) : "/tmp"}] {*}$argv
exit [tcltest::runAllTests]
