# The cost of taking and releasing a free lock in Tcl, beside TclX's flock and a file that is
# created exclusively and deleted: medians of turns, so that a busy machine disturbs all alike.
#
#     bench/run tcl
package require atmost
package require Tclx

set ROUNDS 41
set CYCLES 100
set folder [file join [expr {[info exists env(TMPDIR)] ? $env(TMPDIR) : "/tmp"}] atmost-cycle.[pid]]
file mkdir $folder
set env(ATMOST_DIR) $folder

proc bare {file} {
    set channel [open $file {RDWR CREAT}]
    flock -write -nowait $channel
    close $channel
}
proc exclusive {file} {
    close [open $file {WRONLY CREAT EXCL}]
    file delete $file
}
proc block {lock} { $lock with {} }
proc command {name} { [atmost::acquire $name -no_history true] release }

set plain [atmost::lock create $folder/plain.lock -no_history true]
set logged [atmost::lock create $folder/logged.lock]
set waits [atmost::lock create $folder/waits.lock -wait 60]
set cycles [list \
    "open, TclX flock, close" [list bare $folder/bare] \
    "create, delete" [list exclusive $folder/exclusive] \
    "without history" [list block $plain] \
    "acquire, release" [list command $folder/command.lock] \
    "with history" [list block $logged] \
    "that would wait" [list block $waits]]
for {set round 0} {$round < $ROUNDS} {incr round} {
    foreach {name cycle} $cycles { lappend taken($name) [lindex [time $cycle $CYCLES] 0] }
}
proc median {values} { lindex [lsort -real $values] [expr {[llength $values] / 2}] }
set beside [median $taken(open, TclX flock, close)]
foreach {name cycle} $cycles {
    set median [median $taken($name)]
    puts [format "%-24s %7.2f us  %5.2f x TclX flock" $name $median [expr {$median / $beside}]]
}
file delete -force $folder
