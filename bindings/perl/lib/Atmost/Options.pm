package Atmost::Options;

# A program's lock and options, as words for the library: an object is an atmost_request.
use v5.36;
use builtin qw(created_as_number is_bool);
use Atmost::Error;
use Atmost::Native;
use Scalar::Util qw(reftype);
no warnings qw(experimental::builtin);

our $VERSION = '0.1.0';

# The bytes of a string. A wide character is refused: its encoding is known to the program alone.
sub text ($value, $what) {
    defined $value && !ref $value or die Atmost::Error::usage("$what must be a string");
    my $bytes = "$value";
    utf8::downgrade($bytes, 1)
        or die Atmost::Error::usage("$what: a wide character; encode the text first");
    index($bytes, "\0") < 0 or die Atmost::Error::usage("$what: a text with a NUL byte");
    return $bytes;
}

# `parts`: a name, or an atom's operator and operand.
sub new ($class, $parts, $options) {
    my $make = @$parts > 1 ? \&Atmost::Native::new_atom : \&Atmost::Native::new;
    my $self = bless \(my $request = $make->(@$parts)), $class;
    for my $name (sort keys %$options) {
        my $value = $options->{$name} // next;
        $name eq 'on_lost' ? _check_code($value) : $self->_set($name, $value);
    }
    $self->notice(0) if defined $options->{on_lost};
    return $self;
}

# The descriptor to which the next take's loss is written. The library never calls the program's
# code itself: see Atmost::Notice.
sub notice ($self, $descriptor) {
    Atmost::Native::set_on_lost($$self, Atmost::Native::write_eight(), $descriptor);
    return;
}

sub _check_code ($value) {
    (reftype($value) // '') eq 'CODE'
        or die Atmost::Error::usage('on_lost must be a code reference');
    return;
}

sub _set ($self, $name, $value) {
    for my $one (ref $value eq 'ARRAY' ? @$value : $value) {
        my $answer = $self->_answer($name, $one);
        die Atmost::Error::refusal($answer) if $answer != 0;
    }
    return;
}

sub _answer ($self, $name, $value) {
    return Atmost::Native::set($$self, $name, $value ? 'true' : 'false') if is_bool($value);
    return Atmost::Native::set($$self, $name, text($value, $name)) if !created_as_number($value);
    return Atmost::Native::set_number($$self, $name, $value)
        if abs $value < 1e15 && $value == int $value;
    return Atmost::Native::set_seconds($$self, $name, $value);
}

sub CLONE_SKIP { return 1 }

sub DESTROY ($self) {
    Atmost::Native::free($$self);
    return;
}

1;
