package Outside;

# Processes outside of Perl, which show a lock from outside.
use v5.36;
use Atmost;
use Exporter qw(import);
use File::Temp qw(tempdir);
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(fresh run_a succeeded holder end_of waiters eventually program answer);

# No lock around the tests counts.
delete @ENV{ grep { /\AATMOST_/ } keys %ENV };

# A new folder of locks, which this process and those it starts use from now on.
sub fresh { return $ENV{ATMOST_DIR} = tempdir(CLEANUP => 1) }

# The exit code of `atmost run` of the lock "a".
sub run_a (@options) {
    system 'atmost', 'run', '-q', @options, 'a', '--', 'true';
    return $? >> 8;
}

# True if the last work on the lock "a" was a success, as others see it.
sub succeeded {
    system 'atmost', qw(run -q --if-elapsed=900 --elapsed-from=success a -- false);
    return $? >> 8 == 76 ? 1 : 0;
}

# Another process holds the lock "a" until end_of() gets the result of this: its pid and its
# pipes.
sub holder {
    pipe my $in, my $go;
    pipe my $said, my $out;
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<&', $in;
        open STDOUT, '>&', $out;
        exec 'atmost', 'run', 'a', '--', 'sh', '-c', 'echo in; read line';
    }
    close $_ for $in, $out;
    (<$said> // '') eq "in\n" or die 'no holder';
    return [ $pid, $go, $said ];
}

sub end_of ($holder) {
    my ($pid, $go) = @$holder;
    close $go;
    waitpid $pid, 0;
    return;
}

# A Perl program that runs beside this one: its pid, and its output.
sub program ($script) {
    my $pid = open my $said, '-|', $^X, (map { "-I$_" } @INC), '-Mv5.36', '-MAtmost=with_lock', '-e', $script
        or die "fork: $!";
    return ($pid, $said);
}

sub waiters { return scalar grep { $_->{state} eq 'waiting' } Atmost->new('a')->list }

# Waits for other processes.
sub eventually ($condition) {
    my $end = time + 300;
    until ($condition->()) {
        die 'not within 300 seconds' if time > $end;
        sleep 0.005;
    }
    return 1;
}

# The class that code dies with; '' if it does not.
sub answer ($code) {
    return eval { $code->(); 1 } ? '' : ref $@ || $@;
}

1;
