# Blocks that hold a lock and how they end; held locks; arguments; entries.
use v5.36;
use Atmost qw(with_lock);
use FindBin;
use lib $FindBin::Bin;
use Outside qw(answer fresh holder program run_a succeeded);
use POSIX qw(_exit);
use Test::More;

my @ends = (
    [ 'the end',       sub { 1 },                                 1 ],
    [ 'return',        sub { return 1 },                          1 ],
    [ 'die',           sub { die "no\n" },                        0 ],
    [ 'last',          sub { no warnings; last },                 0 ],
    [ 'release(0)',    sub ($held) { $held->release(0) },         0 ],
    [ 'kept, and die', sub ($held) { our $kept = $held; die },    0 ],
);
for (@ends) {
    my ($name, $code, $success) = @$_;
    fresh();
    for (1) {
        eval { Atmost->new('a')->with($code) };
    }
    is(succeeded(), $success, "success by $name");
    is(run_a(), 0, "free after $name");
}

fresh();
is_deeply([ with_lock { (1, run_a()) } 'a' ], [ 1, 75 ], 'held within; a list is returned');
is(scalar(with_lock { 'one' } 'a'), 'one', 'a scalar is returned');

fresh();
my (undef, $said) = program('with_lock { exit 3 } "a"');
close $said;
is($? >> 8, 3, 'exit within the block keeps its status');
is(succeeded(), 0, 'and is no success');

fresh();
{
    my $one = Atmost->new('a', max => 2)->acquire;
    my $two = Atmost->new('a', max => 2)->acquire;
    is_deeply([ $one->slot, $two->slot ], [ 1, 2 ], 'slots');
    cmp_ok($two->token, '>', $one->token, 'tokens');
    ok($one->held, 'held');
    $one->release;
    ok(!$one->held, 'no longer held');
    $one->release;
    is(run_a(), 75, 'the second stays');
    undef $two;
}
is(run_a(), 0, 'collected, free');

fresh();
{ my $held = Atmost->new('a')->acquire }
is(succeeded(), 0, 'collected, without success');
is(answer(sub { Atmost->new('a')->acquire; 1 }), 'Atmost::Usage', 'an admission that nobody keeps');
is(run_a(), 0, 'takes nothing');

fresh();
{
    my $held  = Atmost->new('a')->acquire;
    my $child = fork // die $!;
    if ($child == 0) {
        undef $held;
        _exit(0);
    }
    waitpid $child, 0;
    is(run_a(), 75, 'a child that collects it frees nothing');
    $child = fork // die $!;
    if ($child == 0) {
        with_lock { _exit(0) } 'b';
    }
    waitpid $child, 0;
    $child = fork // die $!;
    if ($child == 0) {
        $held->release;
        _exit(0);
    }
    waitpid $child, 0;
    is(run_a(), 75, 'nor one that releases it');
}

fresh();
for my $name ("line\nline", "lock\xff\xfe") {
    my $held = Atmost->new($name)->acquire;
    is(answer(sub { my $held = Atmost->new($name)->acquire }), 'Atmost::Busy', 'a name that is no text');
}
my @wrong = (
    [ "a\0b" ], ["\x{263a}"], [undef], [ 'a', no_such => 1 ], [ 'a', wait => 'long' ],
    [ 'a', wait => 'NaN' ], [ 'a', max => 1.5 ], [ 'a', max => 2**32 ], [ 'a', shared => 'all' ],
    [ 'a', if_elapsed => -1 ], [ 'a', id => "\0" ], [ 'a', on_lost => 'code' ], [ 'a', also => ["b\0"] ],
);
for (@wrong) {
    my @arguments = @$_;
    is(answer(sub { my $held = Atmost->new(@arguments)->acquire }), 'Atmost::Usage', 'a wrong argument');
}

for my $on_lost ('code', [], \'code', 1) {
    is(answer(sub { Atmost->new('a', on_lost => $on_lost) }), 'Atmost::Usage', 'an on_lost that is no code');
}
like(eval { Atmost->new('a', waitt => 1) } // $@, qr/\Awaitt: no option of the library/, 'an unknown option is named');

fresh();
{
    my $lock = Atmost->new('a', max_runtime => 60, on_lost => bless sub { }, 'Blessed');
    ok($lock->check->{admitted} && !$lock->list, 'looking with the options of a take');
    ok($lock->acquire->held, 'and taking');
}

fresh();
{
    my $lock = Atmost->new('a', id => 'me');
    my $held = $lock->acquire;
    my ($entry, @others) = $lock->list;
    my @seen = (@$entry{qw(state pid id slot)}, scalar @others);
    is_deeply(\@seen, [ 'held', $$, 'me', 1, 0 ], 'list');
    my $check = $lock->check;
    ok(!$check->{admitted}, 'check: busy');
    is_deeply([ @$check{qw(held why)} ], [ 1, 'no_slot' ], 'check: by whom, and why');
    undef $held;
    ok($lock->check->{admitted}, 'check: free');
}
{
    my $error = eval { scalar Atmost->new('a', max => 0)->acquire } // $@;
    like("$error", qr/ at \S*held\.t line \d+\.\n\z/, 'an error names the line of the caller');
    my $atom = Atmost->atom('edit', 'x', host => 'elsewhere')->acquire;
    is(answer(sub { my $held = Atmost->atom('edit', 'x', host => 'elsewhere')->acquire }), 'Atmost::Busy',
        'an atom of another host');
    is(answer(sub { my $held = Atmost->atom('edit', 'x')->acquire }), '', 'and of this one');
}
ok(eval "use Atmost $_; 1", "version $_") or diag($@) for qw(0.1 0.1.0 v0.1.0);
ok(!eval 'use Atmost 0.2; 1', 'a later version');
done_testing();
