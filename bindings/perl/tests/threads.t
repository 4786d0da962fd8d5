# Threads of Perl, which copy everything that they find.
use v5.36;
use Config;
use Test::More;

BEGIN {
    plan(skip_all => 'a perl without threads') if !$Config{useithreads};
    require threads;
}
use Atmost;
use FindBin;
use lib $FindBin::Bin;
use Outside qw(fresh run_a);

fresh;
my $held    = Atmost->new('a')->acquire;
my $waiting = Atmost->new('b', wait => 60)->begin;
my $copied  = threads->create(sub { defined $held && eval { $held->token } ? 1 : 0 })->join;
is($copied, 0, 'a held lock is not copied');
my $refused = threads->create(sub { eval { my $held = Atmost->new('a')->acquire }; ref $@ })->join;
is($refused, 'Atmost::Busy', 'a thread is refused as a process is');
my @entries = threads->create(sub { scalar Atmost->new('a')->list })->join;
is_deeply(\@entries, [1], 'a thread may look');
ok($held->held, 'it is still held');
is(run_a(), 75, 'for others, too');
$waiting->finish->release;
$held->release;
is(run_a(), 0, 'and free after its release');
done_testing;
