# A handler that dies at any moment leaves no hold behind. If it dies within a destructor, Perl
# turns its exception into a warning.
use v5.36;
use Atmost;
use FindBin;
use lib $FindBin::Bin;
use Outside qw(fresh);
use Test::More;
use Time::HiRes qw(setitimer ITIMER_REAL);

my ($inside, $hits) = (0, 0);
local $SIG{ALRM} = sub { $hits += $inside; die "hit\n" if $inside };
local $SIG{__WARN__} = sub ($said) { warn $said unless $said =~ /\(in cleanup\) hit/ };

sub aimed ($name, $within, $code) {
    fresh();
    my $seen   = Atmost->new('a');
    my $failed = 0;
    $hits = 0;
    while ($hits < 500) {
        eval {
            $inside = 1;
            setitimer(ITIMER_REAL, 1e-6 + rand $within);
            $code->();
            $inside = 0;
        };
        $inside = 0;
        setitimer(ITIMER_REAL, 0);
        next if !$seen->list;
        $failed++;
        fresh();
    }
    is($failed, 0, $name);
    return;
}

my %options = (max_runtime => 1000, on_lost => sub { });
my @locks   = (
    [ 'a lock',               Atmost->new('a') ],
    [ 'one that would wait',  Atmost->new('a', wait => 60) ],
    [ 'one that can be lost', Atmost->new('a', %options) ],
);
for (@locks) {
    my ($name, $lock) = @$_;
    aimed("$name: a block",              150e-6, sub { $lock->with(sub { }) });
    aimed("$name: collected",            150e-6, sub { my $held = $lock->acquire });
    aimed("$name: a request, collected", 150e-6, sub { $lock->begin });
}
done_testing();
