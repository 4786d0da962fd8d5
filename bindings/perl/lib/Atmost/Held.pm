package Atmost::Notice;

# The library calls on_lost on a thread of its own, where no Perl can run. The function that it
# calls is eventfd_write(), with a pipe in place of the context: it takes an int and a uint64_t
# where on_lost has a pointer and a uint64_t, which every ABI of Linux passes alike. The pipe is
# read whenever the program calls the binding.
use v5.36;
use IO::Handle;
use Scalar::Util qw(refaddr);

our $VERSION = '0.1.0';

my %notices;    # until end(): a pipe is not closed while the library may write to it

sub new ($class, $on_lost) {
    pipe my $reader, my $writer or die Atmost::Error::usage("no pipe for on_lost: $!");
    $_->blocking(0) for $reader, $writer;
    my $self = bless { on_lost => $on_lost, reader => $reader, writer => $writer, pid => $$ },
        $class;
    return $notices{ refaddr $self } = $self;
}

sub CLONE_SKIP { return 1 }

sub context ($self) { return fileno $self->{writer} }

sub descriptor ($self) { return fileno $self->{reader} }

# A forked child shares the pipe, and must not take a notice from its parent.
sub deliver ($self) {
    return unless $self->{pid} == $$ && $self->{on_lost};
    (sysread($self->{reader}, my $bytes, 8) // 0) == 8 or return;
    my $on_lost = delete $self->{on_lost};
    $on_lost->(unpack 'Q', $bytes);
    return;
}

sub all { return grep { $_->{pid} == $$ && $_->{on_lost} } values %notices }

# The library no longer writes: the lock is released, or was not admitted.
sub end ($self) {
    delete $notices{ refaddr $self };
    return;
}

package Atmost::Place;

# The place at which the library writes a lock. A handler of %SIG that dies can end any code of
# Perl, even a destructor before its first statement. Then the objects that the destroyed one
# refers to are destroyed, too: so a lock has two owners, a Held and, in it, a Place, and a
# request likewise.
use Atmost::Native;

sub new ($class) { return bless \(my $lock = 0), $class }

sub CLONE_SKIP { return 1 }

# One statement without a branch, within which no handler runs.
sub end ($self, $code) {
    Atmost::Native::release((my $lock = $$self, $$self = 0)[0], $code);
    return;
}

sub DESTROY ($self) {
    local ($@, $!, $?);
    my $died;
    $died = $@ until eval { $self->end(0); 1 };
    die $died if defined $died;
    return;
}

package Atmost::Held;

# An admission. It ends by release(), with the process, or with its last reference.

our $VERSION = '0.1.0';

sub _new ($class, $notice) {
    return bless { place => Atmost::Place->new, notice => $notice, pid => $$ }, $class;
}

sub _place ($self) { return $self->{place} }

sub CLONE_SKIP { return 1 }

# To be called after the library has written it.
sub _begun ($self) {
    my $lock = ${ $self->{place} };
    $self->{token} = Atmost::Native::token($lock);
    $self->{slot}  = Atmost::Native::slot($lock);
    return $self;
}

sub token ($self) { return $self->{token} }

sub slot ($self) { return $self->{slot} }

# False once it is released, or a taker has it. Calls on_lost if that is due.
sub held ($self) {
    my $lock = ${ $self->{place} };
    my $held = $lock && Atmost::Native::held($lock) != 0;
    $self->{notice}->deliver if $self->{notice};
    return $held;
}

sub lost_descriptor ($self) { return $self->{notice} && $self->{notice}->descriptor }

# Another call does nothing. In a forked child the parent's lock stays.
sub release ($self, $success = 1) {
    $self->{place}->end($success ? 1 : 0);
    my $notice = delete $self->{notice} or return;
    $notice->end;    # only now, as the library may have written to its pipe until here
    return;
}

sub DESTROY ($self) {
    return unless $self->{pid} == $$;
    local ($@, $!, $?);
    $self->release(0);
    return;
}

1;
