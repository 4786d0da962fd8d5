package Atmost::Options;

# What a program says, as the fields of atmost_options.
use v5.36;
use Atmost::Error;
use Atmost::Native;
use FFI::Platypus::Buffer qw(scalar_to_pointer);
use Scalar::Util qw(looks_like_number reftype);

our $VERSION = 'v0.1.0';

# The bytes of a string. Which encoding a wide character has, only the program knows.
sub text ($value, $what) {
    defined $value && !ref $value or die Atmost::Error::usage("$what must be a string");
    my $bytes = "$value";
    utf8::downgrade($bytes, 1)
        or die Atmost::Error::usage("$what: a wide character; encode the text first");
    index($bytes, "\0") < 0 or die Atmost::Error::usage("$what: a text with a NUL byte");
    return $bytes;
}

sub _number ($value, $what) {
    looks_like_number($value) && $value == $value
        or die Atmost::Error::usage("$what must be a number");
    return $value + 0;
}

sub _limit ($value, $what, @) { return $value eq 'auto' ? -1 : _number($value, $what) }

# C would cut what does not fit.
sub _integer ($lowest, $highest) {
    return sub ($value, $what, @) {
        my $number = _number($value, $what);
        $number >= $lowest && $number <= $highest && $number == int $number
            or die Atmost::Error::usage("$what must be a whole number");
        return $number;
    };
}

# As their position counts from 0 in atmost.h.
sub _one_of (@names) {
    my %values = map { $names[$_] => $_ } 0 .. $#names;
    return sub ($value, $what, @) {
        return $values{$value} // die Atmost::Error::usage("$what must be one of @names");
    };
}

sub _flag ($value, @) { return $value ? 1 : 0 }

# The address of bytes that @$alive keeps.
sub _kept ($bytes, $alive) {
    push @$alive, \$bytes;
    return scalar_to_pointer($bytes);
}

sub _text ($value, $what, $alive) { return _kept(text($value, $what) . "\0", $alive) }

sub _texts ($value, $what, $alive) {
    ref $value eq 'ARRAY' or die Atmost::Error::usage("$what must be an array reference");
    return _kept(pack('J*', (map { _text($_, $what, $alive) } @$value), 0), $alive);
}

my $count   = _integer(0, 0xffff_ffff);
my $seconds = sub ($value, $what, @) { _number($value, $what) };
my %FIELDS  = (
    max           => $count,
    take          => $count,
    wait          => $seconds,
    if_elapsed    => \&_limit,
    expire_after  => \&_limit,
    kill_grace    => $seconds,
    now           => $seconds,
    directory     => \&_text,
    id            => \&_text,
    mode          => $count,
    may_be_killed => _integer(-0x8000_0000, 0x7fff_ffff),
    log           => \&_text,
    no_history    => \&_flag,
    sharing       => _one_of(qw(plain shared exclusive)),
    on_busy       => _one_of(qw(fail replace join supersede)),
    elapsed_from  => _one_of(qw(start finish success)),
    wait_too_soon => \&_flag,
    max_hold      => \&_limit,
    also          => \&_texts,
    trust_fs      => \&_flag,
    no_learn      => \&_flag,
    rate          => \&_text,
    on_lost       => \&_on_lost,
    queue_max     => _integer(-0x8000_0000, 0x7fff_ffff),
    store         => \&_text,
);

# ATMOST_DEFAULTS, where they are not 0.
my %DEFAULTS = (
    max  => 1, take => 1, expire_after => 'Inf' + 0, kill_grace => 2, now => -1, mode => oct 600,
    max_hold => 'Inf' + 0, queue_max => -1,
);

# What the library calls is never the program's code itself: see Atmost::Notice.
sub _on_lost ($value, $what, @) {
    (reftype($value) // '') eq 'CODE' or die Atmost::Error::usage("$what must be a code reference");
    return Atmost::Native::write_eight();
}

# The address of atmost_options, and a reference to what has to live as long. `context` is the
# descriptor of a Notice, or undef.
sub record ($options, $context = undef) {
    my (%fields, @alive);
    for my $name (keys %$options) {
        my $value = $options->{$name} // next;
        my $convert = $FIELDS{$name} or die Atmost::Error::usage("there is no option $name");
        $fields{$name} = $convert->($value, $name, \@alive);
    }
    $fields{context} = $context if defined $context;
    return (_kept(Atmost::Native::options(%DEFAULTS, %fields), \@alive), \@alive);
}

1;
