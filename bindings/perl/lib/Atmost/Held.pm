package Atmost::Notice;

# The library calls on_lost on a thread of its own, where no Perl can run. What it calls is
# eventfd_write(), with a pipe in place of the context: it takes an int and a uint64_t where on_lost
# has a pointer and a uint64_t, which every ABI of Linux passes alike. The pipe is read where the
# program calls the binding.
use v5.36;
use IO::Handle;
use Scalar::Util qw(refaddr weaken);

our $VERSION = '1.000';

my %notices;

sub new ($class, $on_lost) {
    ref $on_lost eq 'CODE' or die Atmost::Error::usage('on_lost must be a code reference');
    pipe my $reader, my $writer or die Atmost::Error::usage("no pipe for on_lost: $!");
    $_->blocking(0) for $reader, $writer;
    my $self = bless { on_lost => $on_lost, reader => $reader, writer => $writer, pid => $$ },
        $class;
    weaken($notices{ refaddr $self } = $self);
    return $self;
}

sub CLONE_SKIP { return 1 }

sub context ($self) { return fileno $self->{writer} }

sub descriptor ($self) { return fileno $self->{reader} }

# A forked child shares the pipe, and must not take what its parent waits for.
sub deliver ($self) {
    return unless $self->{pid} == $$ && $self->{on_lost};
    (sysread($self->{reader}, my $bytes, 8) // 0) == 8 or return;
    my $on_lost = delete $self->{on_lost};
    $on_lost->(unpack 'Q', $bytes);
    return;
}

sub all { return grep { defined && $_->{pid} == $$ && $_->{on_lost} } values %notices }

sub DESTROY ($self) {
    delete $notices{ refaddr $self };
    return;
}

package Atmost::Held;

# An admission. It ends by release(), with the process, or when nobody refers to it.
use Atmost::Native;

our $VERSION = '1.000';

sub _new ($class, $notice) { return bless { lock => undef, notice => $notice, pid => $$ }, $class }

# Where the library writes the lock.
sub _place ($self) { return \$self->{lock} }

sub CLONE_SKIP { return 1 }

# After the library has written it.
sub _begun ($self) {
    $self->{token} = Atmost::Native::token($self->{lock});
    $self->{slot}  = Atmost::Native::slot($self->{lock});
    return $self;
}

sub token ($self) { return $self->{token} }

sub slot ($self) { return $self->{slot} }

# False once it is released, or a taker has it. Calls on_lost if that is due.
sub held ($self) {
    my $held = defined $self->{lock} && Atmost::Native::held($self->{lock}) != 0;
    $self->{notice}->deliver if $self->{notice};
    return $held;
}

sub lost_descriptor ($self) { return $self->{notice} && $self->{notice}->descriptor }

# Again: nothing. In a forked child: the parent's lock stays.
sub release ($self, $success = 1) {
    return unless defined $self->{lock};
    Atmost::Native::release(delete $self->{lock}, $success ? 1 : 0);
    delete $self->{notice};    # only now, as the library may have written to its pipe until here
    return;
}

sub DESTROY ($self) {
    return unless $self->{pid} == $$;
    local ($@, $!, $?);
    $self->release(0);
    return;
}

1;
