# Takes of one lock by processes that are killed all the while.
#
# Each worker that is in also takes a POSIX record lock of another file (TclX's flock is fcntl's),
# which atmost does not use: if that fails, two were in at once. When a process is killed, the
# kernel frees this lock before atmost's, which ends with its file: files are freed after all of
# them were closed, the last one first, so that flock(2) would be freed too late. Bytes through a
# pipe count the takes, as killed workers cannot report them.
source [file join [file dirname [info script]] outside.tcl]

set TAKES 10000
set KILLS 300
set WORKERS 4

proc work {which counter} {
    set witness [open [file join $::folder witness] {RDWR CREAT}]
    set wait [expr {$which % 2 == 0 ? "Inf" : 0}]
    set lock [atmost::lock create a -wait $wait]
    while {1} {
        try {
            $lock with {
                if {[flock -write -nowait $witness]} {
                    puts -nonewline $counter t
                    funlock $witness
                } else {
                    puts -nonewline $counter o
                }
            }
        } trap {ATMOST BUSY} {} {
            after 1
        }
    }
}

proc start {which counter} {
    set child [fork]
    if {$child != 0} { return $child }
    catch { work $which $counter } message
    puts stderr $message
    exit 1
}

set folder [file join [expr {[info exists env(TMPDIR)] ? $env(TMPDIR) : "/tmp"}] atmost-soak.[pid]]
file mkdir $folder
set env(ATMOST_DIR) $folder
set began [clock seconds]
pipe readable writable
fconfigure $writable -buffering none -translation binary
fconfigure $readable -translation binary
for {set which 0} {$which < $WORKERS} {incr which} {
    set workers($which) [start $which $writable]
}
set takes 0
set overlaps 0
set kills 0
while {$takes < $TAKES || $kills < $KILLS} {
    set seen [read $readable [expr {1 + int(60 * rand())}]]
    incr takes [regexp -all t $seen]
    incr overlaps [regexp -all o $seen]
    if {$kills * $TAKES > $takes * ($KILLS + 10)} { continue }
    set which [expr {int($WORKERS * rand())}]
    after [expr {round(rand())}]
    kill KILL $workers($which)
    set ended [wait $workers($which)]
    if {[lindex $ended 1] ne "SIG"} { error "a worker ended by itself: $ended" }
    incr kills
    set workers($which) [start $which $writable]
}
foreach {which worker} [array get workers] {
    kill KILL $worker
    wait $worker
}
set left [llength [atmost::list a]]
set outsider [outside::run]
puts "tcl soak: $takes takes, $kills killed, $overlaps overlaps, $left left,\
    another process then ends with $outsider, [expr {[clock seconds] - $began}] s"
file delete -force $folder
exit [expr {$overlaps != 0 || $left != 0 || $outsider != 0}]
