package Atmost;

# Asking for a lock; every decision is libatmost's.
use v5.36;
use Exporter qw(import);
use Atmost::Error;
use Atmost::Held;
use Atmost::Native;
use Atmost::Options;
use Atmost::Request;

our $VERSION   = '0.1.0';
our @EXPORT_OK = qw(with_lock may_be_killed deliver);

# `use Atmost 0.1` means version 0.1.0, and not Perl's v0.100.
sub VERSION ($class, $wanted = $VERSION) {
    version->declare($wanted) <= version->declare($VERSION)
        or die "Atmost $wanted is required; this is $VERSION\n";
    return $VERSION;
}

sub new ($class, $name, %options) {
    return $class->_with_parts([ Atmost::Options::text($name, 'the name') ], \%options);
}

sub atom ($class, $operator, $operand, %options) {
    my @parts = (
        Atmost::Options::text($operator, 'the operator'),
        Atmost::Options::text($operand,  'the operand')
    );
    return $class->_with_parts(\@parts, \%options);
}

# Dies if an option is invalid.
sub _with_parts ($class, $parts, $options) {
    my $request = Atmost::Options->new($parts, $options);
    return bless { request => $request, on_lost => $options->{on_lost} }, $class;
}

# An object of `class` with the pointer that the library wrote for it: a lock or a pending
# request, depending on the function. The object is there first: if a handler dies right after the
# call, the object still ends the lock or request.
sub _ask ($self, $class, $call) {
    my $notice = defined $self->{on_lost} ? Atmost::Notice->new($self->{on_lost}) : undef;
    my $owner  = $class->_new($notice);
    $self->{request}->notice($notice->context) if $notice;
    my $answer = $call->(${ $self->{request} }, $owner->_place);
    die Atmost::Error::refusal($answer) if $answer != 0;
    return $owner->_begun;
}

sub begin ($self) { return $self->_ask('Atmost::Request', \&Atmost::Native::begin) }

sub acquire ($self) {
    defined wantarray
        or die Atmost::Error::usage('acquire: nobody keeps what it returns, which holds the lock;'
            . ' use with()');
    return $self->begin->finish if Atmost::Native::waits(${ $self->{request} });
    return $self->_ask('Atmost::Held', \&Atmost::Native::get);
}

# Ends a block that is left by die, last, exit or similar; after release() it does nothing.
package Atmost::Guard {
    sub DESTROY ($self) {
        return unless $self->[0]{pid} == $$;
        local ($@, $!, $?);
        $self->[0]->release(0);
        return;
    }
}

sub with ($self, $work) {
    my $held  = $self->acquire;
    my $guard = bless [$held], 'Atmost::Guard';
    my @results;
    if    (wantarray)         { @results    = $work->($held) }
    elsif (defined wantarray) { $results[0] = $work->($held) }
    else                      { $work->($held) }
    $held->release(1);
    return wantarray ? @results : $results[0];
}

sub with_lock : prototype(&$@) ($work, $name, %options) {
    return Atmost->new($name, %options)->with($work);
}

my @FIELDS = qw(state slot position max pid kept_for user token start age expires id command
    verified);

sub list ($self) {
    my @entries;
    my $each = Atmost::Native::closure(sub ($context, $address) {
        my $entry = Atmost::Native::entry_at($address);
        push @entries, { %$entry{@FIELDS} };
        return 0;
    });
    my $answer = Atmost::Native::list(${ $self->{request} }, $each, undef);
    die Atmost::Error::refusal($answer) if $answer != 0;
    return @entries;
}

sub check ($self) {
    my $answer  = Atmost::Native::check(${ $self->{request} }, \my $held);
    my $refused = $answer == 0 ? undef : Atmost::Error::refusal($answer);
    die $refused if $refused && !$refused->isa('Atmost::Refused');
    return {
        admitted => !$refused,
        held     => $held,
        why      => $refused ? $refused->why      : '',
        retry_in => $refused ? $refused->retry_in : 0,
    };
}

sub may_be_killed ($agreed) { return Atmost::Native::may_be_killed($agreed ? 1 : 0) != 0 }

sub deliver {
    $_->deliver for Atmost::Notice::all();
    return;
}

1;

__END__

=encoding utf8

=head1 NAME

Atmost - at most N at a time, at most once every T, for at most D

=head1 SYNOPSIS

    use Atmost qw(with_lock);

    with_lock { backup() } 'backup', if_elapsed => 900, wait => 60;

=head1 DESCRIPTION

A thin layer over libatmost, which decides everything. Durations are seconds, and C<'inf'> is for
ever.

=head1 LOCKS

=over

=item Atmost->new($name, %options), Atmost->atom($operator, $operand, %options)

A lock with its options. Options are those of C<atmost_set()> in the C library's header, such as
C<max>, C<take>, C<wait>, C<if_elapsed>, C<expire_after>, C<max_runtime>, C<shared>, C<exclusive>,
C<on_busy>, C<rate> (C<5/1m>), C<dir>, C<store> (C<symlink:>), with their words as values, and
C<on_lost>. Numbers are seconds and counts; an option without a value is set by 1; C<also> takes an
array reference. C<'auto'> is a limit that is learned. Texts are bytes: NUL bytes and wide
characters are refused.

=item $lock->with(sub ($held) { ... }), with_lock { ... } $name, %options

Runs the code while the lock is held, and returns its result. The work is a success only if the code
returns.

=item $lock->acquire

Returns an C<Atmost::Held>; dies where its result is not used. Handlers of signals run while it
waits; one that dies ends the wait, and gives the place in the queue up.

=item $lock->begin

Returns an C<Atmost::Request>, which waits beside the program.

=item $lock->list, $lock->check

A list of hashes, one for each holder, waiter or drained slot; a hash with C<admitted>, C<held>,
C<why> and C<retry_in>. Neither takes or writes anything.

=back

=head1 Atmost::Held

C<token>, C<slot>; C<held>, false once a taker has the lock; C<release($success = 1)>. Without a
release, the lock ends unsuccessfully when nobody refers to the object, but only in the process that
took it: a forked child never frees its parent's lock. A new thread has no part in the objects of
others.

=head1 Atmost::Request

C<descriptor>, to be polled for reading; C<ready>; C<finish>, which waits and returns the
C<Atmost::Held> or dies; C<cancel>, after which C<finish> dies with C<Atmost::Interrupted>. When
nobody refers to it, the wait ends.

=head1 EXCEPTIONS

Busy and too soon are answers, but exceptions of Perl, so that nothing runs by mistake without its
lock: C<Atmost::Busy> and C<Atmost::TooSoon>, both C<Atmost::Refused>. Errors are C<Atmost::Usage>,
C<Atmost::Interrupted>, C<Atmost::CannotCreate>, C<Atmost::IO>, C<Atmost::NotPermitted>,
C<Atmost::Unavailable> and C<Atmost::Internal>. All are C<Atmost::Error>, with C<message>, C<why> (in one word), C<retry_in>
(seconds) and C<answer> (as the exit code of atmost(1)).

=head1 LOST LOCKS

The code reference C<on_lost> is called with the token when the lock was taken away, or
C<max_runtime> is over. The library notices that on a thread of its own, where no Perl can run; so it is called
later, at the next C<held> of that lock, C<Atmost::deliver()>, or while an C<acquire> or C<finish>
waits. An event loop watches C<< $held->lost_descriptor >> and calls C<Atmost::deliver()>.
C<Atmost::may_be_killed(1)> agrees that a taker may stop the whole program instead.

=head1 SEE ALSO

atmost(1)

=cut
