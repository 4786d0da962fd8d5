# Waiting: signals, event loops; locks that are lost. The lock stays held during a wait, so that
# only the tested event can end it.
use v5.36;
use Atmost qw(may_be_killed);
use IO::Select;
use POSIX ();
use FindBin;
use lib $FindBin::Bin;
use Outside qw(answer end_of eventually fresh holder program run_a waiters);
use Test::More;

sub waiting ($script) {
    my ($pid, $said) = program($script);
    eventually(sub { waiters() == 1 });
    return ($pid, $said);
}

{
    fresh();
    my $holder = holder();
    my ($pid, $said) = waiting('my $held = Atmost->new("a", wait => "inf")->acquire');
    kill INT => $pid;
    close $said;
    is($? & 127, 2, 'INT ends a waiting program');
    is(waiters(), 0, 'and gives its place up');
    end_of($holder);
}
{
    fresh();
    my $holder = holder();
    my ($pid, $said) = waiting('$SIG{INT} = sub { die "heard\n" };'
            . 'eval { my $held = Atmost->new("a", wait => "inf")->acquire }; print $@;'
            . 'print scalar(() = Atmost->new("a")->list), "\n"');
    kill INT => $pid;
    is(join('', <$said>), "heard\n1\n", 'a handler that dies ends the wait and gives the place up');
    close $said;
    end_of($holder);
}
for my $ask (qw(begin get)) {    # with and without a wait
    fresh();
    my $real = Atmost::Native->can($ask);
    no warnings qw(redefine once);
    no strict qw(refs);
    local *{"Atmost::Native::$ask"} = sub { my $answer = $real->(@_); kill INT => $$; $answer };
    local $SIG{INT} = sub { die "heard\n" };
    my %wait = $ask eq 'begin' ? (wait => 1000) : ();
    eval { my $held = Atmost->new('a', %wait)->acquire };
    is($@, "heard\n", "a handler that dies right after $ask");
    is(scalar(() = Atmost->new('a')->list), 0, 'leaves nothing behind');
}
{
    fresh();
    my $holder = holder();
    my ($pid, $said) = waiting('$| = 1; $SIG{USR1} = sub { print "heard\n" };'
            . 'my $held = Atmost->new("a", wait => "inf")->acquire; print "admitted\n"');
    kill USR1 => $pid;
    is(scalar <$said>, "heard\n", 'a handler that returns runs while it waits');
    is(waiters(), 1, 'and the wait goes on');
    end_of($holder);
    is(scalar <$said>, "admitted\n", 'until it is admitted');
    close $said;
}
{
    fresh();
    my $holder  = holder();
    my $request = Atmost->new('a', wait => 'inf')->begin;
    my $select  = IO::Select->new($request->descriptor);
    eventually(sub { waiters() == 1 });
    ok(!$request->ready && !$select->can_read(0), 'not ready while it waits');
    end_of($holder);
    ok($select->can_read(300) && $request->ready, 'the descriptor is readable');
    my $held = $request->finish;
    is(run_a(), 75, 'admitted');
    is(answer(sub { $request->finish }), 'Atmost::Usage', 'finished once');
}
{
    fresh();
    my $holder  = holder();
    my $lock    = Atmost->new('a', wait => 'inf');
    my $request = $lock->begin;
    $request->cancel;
    is(answer(sub { $request->finish }), 'Atmost::Interrupted', 'cancelled');
    $request = $lock->begin;
    eventually(sub { waiters() == 1 });
    my $child = fork // die $!;
    if ($child == 0) {
        undef $request;
        POSIX::_exit(0);
    }
    waitpid $child, 0;
    is(waiters(), 1, "a child does not give its parent's place up");
    undef $request;
    is(waiters(), 0, 'collected, given up');
    end_of($holder);
    is(run_a(), 0, 'free');
}
{
    fresh();
    my @lost;
    my $held = Atmost->new('a', max_runtime => 0.05, on_lost => sub { push @lost, @_ })->acquire;
    my $token = $held->token;
    ok(IO::Select->new($held->lost_descriptor)->can_read(300), 'a notice');
    is_deeply(\@lost, [], 'waits for the program');
    ok(!$held->held, 'no longer held');
    is_deeply(\@lost, [$token], 'on_lost is called with the token');
    Atmost::deliver();
    $held->release;
    is(scalar @lost, 1, 'once');
}
{
    fresh();
    my %limit  = (max_runtime => 0.05, on_lost => sub { die "lost\n" });
    my $held   = Atmost->new('b', %limit)->acquire;
    my $holder = holder();
    is(answer(sub { my $held = Atmost->new('a', wait => 'inf')->acquire }), "lost\n", 'also while it waits');
    is(waiters(), 0, 'and it may die there');
    end_of($holder);
}
is_deeply([ map { may_be_killed($_) ? 1 : 0 } 1, 0, 0 ], [ 0, 1, 0 ], 'may_be_killed');
done_testing();
