package Atmost::Native;

# The functions of libatmost, and the one of the C library that the binding needs.
use v5.36;
use FFI::Platypus 2.00;

our $VERSION = '1.000';

my $NEEDED_VERSION = 3;    # ATMOST_API_VERSION of the header that this file was written from
my $LIBRARY        = 'libatmost.so.1';

my $ffi = FFI::Platypus->new(api => 2, lib => $LIBRARY);

# Both structs as atmost.h has them. Pointers of the options are addresses here.
package Atmost::Native::Options {
    use FFI::Platypus::Record;
    record_layout_1(
        $ffi,
        size_t => 'size', uint => 'max', uint => 'take', double => 'wait', double => 'if_elapsed',
        double => 'expire_after', double => 'kill_grace', double => 'now', opaque => 'directory',
        opaque => 'id', uint => 'mode', int => 'may_be_killed', opaque => 'on_lost',
        opaque => 'context', opaque => 'log', int => 'no_history', int => 'interruptible',
        opaque => 'wait_mask', int => 'sharing', int => 'on_busy', int => 'elapsed_from',
        int => 'wait_too_soon', double => 'max_hold', opaque => 'also', int => 'trust_fs',
        int => 'no_learn',
    );
}

package Atmost::Native::Entry {
    use FFI::Platypus::Record;
    record_layout_1(
        $ffi,
        size_t => 'size', string => 'state', uint => 'slot', uint => 'position', uint => 'max',
        sint64 => 'pid', sint64 => 'kept_for', sint64 => 'user', uint64 => 'token',
        double => 'start', double => 'age', double => 'expires', string => 'id',
        string => 'command', int => 'verified',
    );
}

$ffi->type('record(Atmost::Native::Options)*' => 'options');
$ffi->type('record(Atmost::Native::Entry)*'   => 'entry');
$ffi->type('(opaque,opaque)->int'             => 'each');

$ffi->find_symbol('atmost_api_version') or die "atmost: $LIBRARY cannot be loaded\n";
my $version = $ffi->function(atmost_api_version => [] => 'int')->call;
$version >= $NEEDED_VERSION
    or die "atmost: $LIBRARY has API version $version; $NEEDED_VERSION is needed\n";

my @named = ('string', 'options', 'opaque*');
my @atom  = (('string') x 3, 'options', 'opaque*');
$ffi->attach([ "atmost_$_->[0]" => $_->[0] ], $_->[1] => $_->[2]) for (
    [ get           => \@named => 'int' ],
    [ get_atom      => \@atom  => 'int' ],
    [ begin         => \@named => 'int' ],
    [ begin_atom    => \@atom  => 'int' ],
    [ descriptor    => ['opaque'] => 'int' ],
    [ cancel        => ['opaque'] => 'void' ],
    [ finish        => [ 'opaque', 'opaque*' ] => 'int' ],
    [ release       => [ 'opaque', 'int' ] => 'void' ],
    [ token         => ['opaque'] => 'uint64' ],
    [ slot          => ['opaque'] => 'uint' ],
    [ held          => ['opaque'] => 'int' ],
    [ may_be_killed => ['int'] => 'int' ],
    [ list          => [ 'string', 'options', 'each', 'opaque' ] => 'int' ],
    [ check         => [ 'string', 'options', 'uint*' ] => 'int' ],
    [ message       => [] => 'string' ],
    [ retry_in      => [] => 'double' ],
    [ why           => [] => 'string' ],
);

# eventfd_write(fd, value) writes the eight bytes of `value` to a descriptor.
my $WRITE_EIGHT = FFI::Platypus->new(api => 2, lib => [undef])->find_symbol('eventfd_write');
sub write_eight { return $WRITE_EIGHT }

sub closure ($code) { return $ffi->closure($code) }

sub entry_at ($address) { return $ffi->cast(opaque => 'entry', $address) }

1;
