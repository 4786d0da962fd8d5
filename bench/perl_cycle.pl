# The cost of taking and releasing a free lock in Perl, beside File::Flock and a bare open, flock
# and close: medians of turns, so that a busy machine disturbs all alike.
#
#     bench/run perl
use v5.36;
use Atmost;
use Fcntl qw(:flock);
use File::Flock;
use File::Temp qw(tempdir);
use Time::HiRes qw(time);

my ($ROUNDS, $CYCLES) = (41, 100);
my $folder = $ENV{ATMOST_DIR} = tempdir(CLEANUP => 1);

sub bare {
    open my $file, '>>', "$folder/bare" or die $!;
    flock $file, LOCK_EX | LOCK_NB or die $!;
    close $file;
    return;
}

sub file_flock {
    my $lock = File::Flock->new("$folder/file_flock", undef, 'nonblocking') or die;
    $lock->unlock;
    return;
}

my $plain  = Atmost->new("$folder/plain.lock", no_history => 1);
my $logged = Atmost->new("$folder/logged.lock");
my $waits  = Atmost->new("$folder/waits.lock", wait => 60);
my @cycles = (
    [ 'open, flock, close'  => \&bare ],
    [ 'File::Flock'         => \&file_flock ],
    [ 'with, no history'    => sub { $plain->with(sub { }) } ],
    [ 'acquire, no history' => sub { $plain->acquire->release } ],
    [ 'with, history'       => sub { $logged->with(sub { }) } ],
    [ 'that would wait'     => sub { $waits->with(sub { }) } ],
);
my %taken;
for (1 .. $ROUNDS) {
    for (@cycles) {
        my ($name, $cycle) = @$_;
        my $began = time;
        $cycle->() for 1 .. $CYCLES;
        push @{ $taken{$name} }, (time - $began) / $CYCLES * 1e6;
    }
}

sub median (@values) { return (sort { $a <=> $b } @values)[ @values / 2 ] }

my $bare    = median(@{ $taken{'open, flock, close'} });
my $library = median(@{ $taken{'File::Flock'} });
for (map { $_->[0] } @cycles) {
    my $median = median(@{ $taken{$_} });
    printf "%-24s %7.2f us  %6.2f x flock  %6.2f x File::Flock\n", $_, $median, $median / $bare,
        $median / $library;
}
