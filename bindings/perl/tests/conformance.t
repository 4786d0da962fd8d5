# The table that every binding runs.
use v5.36;
use Atmost;
use JSON::PP;
use Outside qw(fresh eventually);
use POSIX qw(WNOHANG _exit);
use Test::More;

my %CLASSES = (busy => 'Atmost::Busy', too_soon => 'Atmost::TooSoon', usage => 'Atmost::Usage');

open my $file, '<', $ENV{ATMOST_CONFORMANCE} or die $!;
my @situations = @{ decode_json(do { local $/; <$file> })->{situations} };
my (%held, %tokens, %processes);    # what earlier steps left, by name

sub options_of ($step) {
    my %options = %{ $step->{options} // {} };
    for (values %options) {
        s/\Afrom_// unless ref;
        $_ = 'Inf' if $_ eq 'infinity';
    }
    return %options;
}

sub take ($step) {
    return Atmost->new($step->{lock}, options_of($step))->acquire if defined $step->{lock};
    return Atmost->atom(@{ $step->{atom} }, options_of($step))->acquire;
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
    my $held = eval { take($step) };
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

# A child's tests must not come back into this file's.
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
