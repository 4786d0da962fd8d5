package Atmost::Error;

# The objects with which acquire() and the others die. Busy and TooSoon are answers, the rest are
# errors.
use v5.36;
use Atmost::Native;
use overload '""' => sub ($self, @) { "$self->{message} at $self->{file} line $self->{line}.\n" },
    fallback => 1;

our $VERSION = '0.1.0';

@Atmost::Refused::ISA = ('Atmost::Error');
@Atmost::Busy::ISA = @Atmost::TooSoon::ISA = ('Atmost::Refused');
my %CLASSES = (
    4  => 'Atmost::Interrupted',
    64 => 'Atmost::Usage',
    69 => 'Atmost::Unavailable',
    70 => 'Atmost::Internal',
    73 => 'Atmost::CannotCreate',
    74 => 'Atmost::IO',
    75 => 'Atmost::Busy',
    76 => 'Atmost::TooSoon',
    77 => 'Atmost::NotPermitted',
);
for my $class (values %CLASSES) {
    no strict 'refs';
    @{"${class}::ISA"} = ('Atmost::Error') unless @{"${class}::ISA"};
}

sub _new ($class, %fields) {
    my $level = 0;
    $level++ while (caller $level)[0] =~ /\AAtmost(?:::|\z)/ and caller $level + 1;
    my (undef, $file, $line) = caller $level;
    return bless { %fields, file => $file, line => $line }, $class;
}

# The last call's answer; to be read before any other call of the library.
sub refusal ($answer) {
    return ($CLASSES{$answer} // 'Atmost::Internal')->_new(
        answer   => $answer,
        message  => Atmost::Native::message(),
        why      => Atmost::Native::why(),
        retry_in => Atmost::Native::retry_in(),
    );
}

sub usage ($message) {
    return Atmost::Usage->_new(answer => 64, message => $message, why => '', retry_in => 0);
}

sub answer   ($self) { return $self->{answer} }
sub message  ($self) { return $self->{message} }
sub why      ($self) { return $self->{why} }
sub retry_in ($self) { return $self->{retry_in} }

1;
