package Atmost::Request;

# A wait that goes on beside the program. It is given up when nobody refers to it.
use v5.36;
use Atmost::Error;
use Atmost::Held;
use Atmost::Native;
use Errno qw(EINTR);

our $VERSION = '1.000';

# A handler of %SIG runs between two operations. A signal that comes after the last of them and
# before select() would be heard only when select() ends: so it ends this often (seconds).
my $HEARD_WITHIN = 0.02;

sub _new ($class, $request, $notice) {
    return bless { request => $request, notice => $notice, pid => $$ }, $class;
}

sub CLONE_SKIP { return 1 }

sub _request ($self) {
    return $self->{request} // die Atmost::Error::usage('the request is finished');
}

sub descriptor ($self) { return Atmost::Native::descriptor($self->_request) }

sub cancel ($self) {
    Atmost::Native::cancel($self->{request}) if defined $self->{request};
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
    my $request = $self->_request;
    delete $self->{request};
    my $answer = Atmost::Native::finish($request, \my $lock);
    die Atmost::Error::refusal($answer) if $answer != 0;
    return Atmost::Held->_new($lock, delete $self->{notice});
}

sub DESTROY ($self) {
    return unless defined $self->{request} && $self->{pid} == $$;
    local ($@, $!, $?);
    my $request = delete $self->{request};
    Atmost::Native::cancel($request);
    Atmost::Native::release($$_, 0)
        for grep { Atmost::Native::finish($request, $_) == 0 } \my $lock;
    return;
}

1;
