# Takes of one lock by processes that are killed all the while.
#
# Each worker that is in also takes a POSIX record lock of another file, which atmost does not
# use: if that fails, two were in at once. When a process is killed, the kernel frees this lock
# before atmost's, which ends with its file: files are freed after all of them were closed, the
# last one first, so that flock(2) would be freed too late. Bytes through a pipe count the takes,
# as killed workers cannot report them.
use v5.36;
use Atmost;
use FFI::Platypus;
use File::Temp qw(tempdir);
use Outside qw(run_a);
use POSIX qw(_exit);
use Time::HiRes qw(sleep);

my ($TAKES, $KILLS, $WORKERS) = (10_000, 300, 4);
my ($F_ULOCK, $F_TLOCK) = (0, 2);    # lockf(3), a record lock by fcntl(2)

my $lockf = FFI::Platypus->new(api => 2, lib => [undef])
    ->function(lockf => [ 'int', 'int', 'long' ] => 'int');
my $folder = $ENV{ATMOST_DIR} = tempdir(CLEANUP => 1);

sub work ($which, $counter) {
    open my $witness, '+>>', "$folder/witness" or die $!;
    my $lock = Atmost->new('a', wait => $which % 2 ? 0 : 'inf');
    while (1) {
        eval {
            $lock->with(sub {
                if ($lockf->call(fileno $witness, $F_TLOCK, 1) == 0) {
                    syswrite $counter, 't';
                    $lockf->call(fileno $witness, $F_ULOCK, 1);
                } else {
                    syswrite $counter, 'o';
                }
            });
            1;
        } or do {
            die $@ unless ref $@ && $@->isa('Atmost::Busy');
            sleep 0.001;
        };
    }
}

sub start ($which, $counter) {
    my $child = fork // die $!;
    return $child if $child;
    eval { work($which, $counter) };
    warn $@;
    _exit(1);
}

my $began = time;
pipe my $readable, my $writable or die $!;
my @workers = map { start($_, $writable) } 0 .. $WORKERS - 1;
my ($takes, $overlaps, $kills) = (0, 0, 0);
while ($takes < $TAKES || $kills < $KILLS) {
    sysread $readable, my $seen, 1 + int rand 60;
    $takes    += $seen =~ tr/t//;
    $overlaps += $seen =~ tr/o//;
    next if $kills * $TAKES > $takes * ($KILLS + 10);
    my $which = int rand $WORKERS;
    sleep rand 0.001;
    kill KILL => $workers[$which];
    waitpid $workers[$which], 0;
    die "a worker ended by itself: $?" unless $? & 127;
    $kills++;
    $workers[$which] = start($which, $writable);
}
for (@workers) {
    kill KILL => $_;
    waitpid $_, 0;
}
my $left     = () = Atmost->new('a')->list;
my $outsider = run_a();
say "perl soak: $takes takes, $kills killed, $overlaps overlaps, $left left, ",
    "another process then ends with $outsider, ", time - $began, ' s';
exit($overlaps || $left || $outsider ? 1 : 0);
