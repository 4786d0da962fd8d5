package Atmost::Request;

# A wait that goes on beside the program. It is given up with its last reference.
use v5.36;
use Atmost::Error;
use Atmost::Held;
use Atmost::Native;
use Errno qw(EINTR);

our $VERSION = '0.1.0';

# The pointer that the library wrote; the second owner of it (see Atmost::Place).
package Atmost::Request::Begun {
    sub new ($class) {
        return bless { request => undef, place => Atmost::Place->new, pid => $$ }, $class;
    }

    sub CLONE_SKIP { return 1 }

    sub _end ($self) {
        return unless $self->{pid} == $$;
        my $place = $self->{place};
        if (defined $self->{request}) {
            Atmost::Native::cancel($self->{request});
            Atmost::Native::finish(delete $self->{request}, $place);
        }
        $place->end(0);
        return;
    }

    sub DESTROY ($self) {
        local ($@, $!, $?);
        my $died;
        $died = $@ until eval { $self->_end; 1 };
        die $died if defined $died;
        return;
    }
}

# A handler of %SIG runs between two operations. A signal that comes after the last of them and
# before select() would be handled only when select() ends: so it ends this often (seconds).
my $HEARD_WITHIN = 0.02;

sub _new ($class, $notice) {
    return bless { begun => Atmost::Request::Begun->new, notice => $notice, pid => $$ }, $class;
}

# The place at which the library writes the request.
sub _place ($self) { return \$self->{begun}{request} }

sub _begun ($self) { return $self }

sub CLONE_SKIP { return 1 }

sub _request ($self) {
    return $self->{begun}{request} // die Atmost::Error::usage('the request is finished');
}

sub descriptor ($self) { return Atmost::Native::descriptor($self->_request) }

sub cancel ($self) {
    Atmost::Native::cancel($self->_request) if defined $self->{begun}{request};
    return;
}

sub ready ($self) { return $self->_readable(0) }

sub _readable ($self, $seconds) {
    return 1 if Atmost::Native::answered($self->_request);
    my $descriptor = $self->descriptor;
    my $bits       = '';
    vec($bits, $descriptor, 1) = 1;
    my $count = select $bits, undef, undef, $seconds;
    $count >= 0 || $! == EINTR or die Atmost::Error::usage("select: $!");
    return $count > 0;
}

# Handlers of signals run while it waits; one that dies ends the wait.
sub finish ($self) {
    until ($self->{pid} != $$ || $self->_readable($HEARD_WITHIN)) {
        $_->deliver for Atmost::Notice::all();
    }
    $self->_request;
    my $held  = Atmost::Held->_new($self->{notice});
    my $place = $held->_place;
    # Handlers run between statements only: the request always has an owner.
    my $answer = Atmost::Native::finish(delete $self->{begun}{request}, $place);
    die Atmost::Error::refusal($answer) if $answer != 0;
    delete $self->{notice};
    return $held->_begun;
}

sub DESTROY ($self) {
    $self->{begun}->DESTROY;
    $self->{notice}->end if $self->{notice};
    return;
}

1;
