# Processes outside of Tcl, which show a lock from outside. Sourced.
package require atmost
package require tcltest 2.4
package require Tclx
array unset ::env ATMOST_* ;# no lock around the tests counts

namespace eval outside {
    variable BUSY 75
    variable TOO_SOON 76
    variable folders 0

    # A new folder of locks, which this process and those it starts use from now on.
    proc fresh {} {
        variable folders
        set folder [file join [tcltest::temporaryDirectory] [pid].locks[incr folders]]
        file mkdir $folder
        set ::env(ATMOST_DIR) $folder
        return $folder
    }

    # At the end of a file of tests.
    proc finish {} {
        file delete -force {*}[glob -nocomplain [file join [tcltest::temporaryDirectory] [pid].*]]
        tcltest::cleanupTests
    }

    # The end of a command: its status, or the name of a signal.
    proc status {args} {
        if {![catch {exec {*}$args 2>@stderr} output options]} { return 0 }
        lassign [dict get $options -errorcode] kind pid code
        if {$kind eq "CHILDSTATUS" || $kind eq "CHILDKILLED"} { return $code }
        return -options $options $output
    }

    # The exit code of `atmost run` of the lock "a".
    proc run {args} { status atmost run -q {*}$args a -- true }

    # True if the last work on the lock "a" was a success, as others see it.
    proc succeeded {} {
        variable TOO_SOON
        set code [status atmost run -q --if-elapsed=900 --elapsed-from=success \
                      a -- false]
        return [expr {$code == $TOO_SOON}]
    }

    # Another process holds the lock "a" until `end` gets the result of this.
    proc holder {} {
        set pipe [open |[list atmost run a -- sh -c {echo in; read line}] r+]
        if {[gets $pipe] ne "in"} { error "no holder" }
        return $pipe
    }
    proc end {pipe} { catch { close $pipe } }

    # A Tcl program that runs beside this one, by its pipe.
    proc program {script args} {
        return [open |[list [info nameofexecutable] {*}$args << $script 2>@stderr] r]
    }

    proc waiters {} {
        set count 0
        foreach one [atmost::list a] { incr count [expr {[dict get $one state] eq "waiting"}] }
        return $count
    }

    # Waits for other processes; events are processed meanwhile.
    proc eventually {condition} {
        set end [expr {[clock seconds] + 300}]
        while {![uplevel 1 [list expr $condition]]} {
            if {[clock seconds] > $end} { error "not within 300 seconds: $condition" }
            after 5
            update
        }
    }

    # The end of a script: 0, or the first two words of its errorCode.
    proc answer {script} {
        if {![catch { uplevel 1 $script } result options]} { return 0 }
        return [lrange [dict get $options -errorcode] 0 1]
    }
}

interp bgerror {} background
proc background {message options} { lappend ::background $message }

# For callbacks: their arguments are ::noted.
proc note {args} { lappend ::noted $args }

# Before each test.
proc begin {} {
    set ::noted {}
    set ::background {}
    outside::fresh
}
