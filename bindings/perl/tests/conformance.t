# The table that every binding runs.
use v5.36;
use Atmost;
use FindBin;
use lib $FindBin::Bin;
use JSON::PP;
use Outside qw(fresh eventually);
use POSIX qw(WNOHANG _exit);
use Test::More;

my %CLASSES = (busy => 'Atmost::Busy', too_soon => 'Atmost::TooSoon', usage => 'Atmost::Usage');

open my $file, '<', "$FindBin::Bin/conformance.json" or die $!;
my @situations = @{ decode_json(do { local $/; <$file> })->{situations} };
my (%held, %tokens, %processes);    # the results of earlier steps, by name

sub options_of ($step) {
    my %options = %{ $step->{options} // {} };
    for (values %options) {
        $_ = 'inf'     if !ref && $_ eq 'infinity';
        $_ = $_ ? 1 : 0 if JSON::PP::is_bool($_);
    }
    return %options;
}

sub lock_of ($step) {
    return Atmost->new($step->{lock}, options_of($step)) if defined $step->{lock};
    return Atmost->atom(@{ $step->{atom} }, options_of($step));
}

sub check ($step) {
    my $lock = lock_of($step);
    my $seen = $lock->check;
    my $as_told = !$seen->{admitted} == ($step->{answer} ne 'admitted')
        && $seen->{held} == $step->{held} && (() = $lock->list) == $step->{held};
    die "admitted: $seen->{admitted}, held: $seen->{held}\n" if !$as_told;
    return;
}

sub expect ($step, $key, $value) {
    die "$key: $value, not $step->{$key}\n" if defined $step->{$key} && $step->{$key} ne $value;
    return;
}

sub refused ($step, $error) {
    ref $error eq $CLASSES{ $step->{answer} } or die "not $step->{answer}: $error";
    expect($step, why => $error->why) if defined $step->{why};
    my $retry_in = $step->{retry_in} // return;
    $retry_in = 'Inf' + 0 if $retry_in eq 'infinity';
    $error->retry_in == $retry_in || abs($error->retry_in - $retry_in) < 0.01
        or die 'retry in ' . $error->retry_in . "\n";
    return;
}

sub get ($step) {
    my $held = eval { lock_of($step)->acquire };
    if ($step->{answer} ne 'admitted') {
        die "admitted\n" if $held;
        return refused($step, $@);
    }
    die $@ unless $held;
    $held{ $step->{as} }   = $held;
    $tokens{ $step->{as} } = $held->token;
    expect($step, slot => $held->slot);
    my $above = $step->{token_above} // return;
    die "old token\n" if $held->token <= $tokens{$above};
    return;
}

# A child must not return into the tests of this file.
sub child ($step, $ready = undef) {
    my $pid = fork // die $!;
    return $pid if $pid;
    eval { steps($step->{steps}); 1 } or do { warn $@; _exit(1) };
    if ($ready) {
        syswrite $ready, "in\n";
        sleep 3600;
    }
    _exit(0);
}

sub start ($step) {
    pipe my $readable, my $writable;
    $processes{ $step->{as} } = child($step, $writable);
    close $writable;
    (<$readable> // '') eq "in\n" or die "the process did not start\n";
    return;
}

sub killed ($step) {
    my $pid = delete $processes{ $step->{process} };
    eventually(sub { waitpid($pid, WNOHANG) == $pid });
    die "not killed: $?\n" unless $? & 127;
    return;
}

my %DO = (
    get     => \&get,
    check   => \&check,
    release => sub ($step) { $held{ $step->{lock} }->release($step->{success}) },
    fork    => sub ($step) { waitpid child($step), 0; die "the child ended with $?\n" if $? },
    start   => \&start,
    killed  => \&killed,
    kill    => sub ($step) { kill KILL => $processes{ $step->{process} }; killed($step) },
);

sub steps ($steps) {
    $DO{ $_->{do} }->($_) for @$steps;
    return;
}

cmp_ok(scalar @situations, '>=', 17, 'there are situations');
for my $situation (@situations) {
    fresh();
    my $well = eval { steps($situation->{steps}); 1 };
    ok($well, $situation->{name}) or diag($@);
    for (values %processes) {
        kill KILL => $_;
        waitpid $_, 0;
    }
    %held = %tokens = %processes = ();
}
done_testing();
