package Atmost::Native;

# The functions of libatmost, and the one of the C library that the binding needs.
use v5.36;
use Config;
use FFI::Platypus 2.00;

our $VERSION = 'v0.1.0';

my $NEEDED_VERSION = 5;    # ATMOST_API_VERSION of the header that this file was written from
my $LIBRARY        = 'libatmost.so.1';

my $ffi = FFI::Platypus->new(api => 2, lib => $LIBRARY);

# Both structs as atmost.h has them, with a letter of pack(): J a pointer or size_t, I and i integers,
# q and Q those of 64 bits, d a double. Packed by hand, as the records of FFI::Platypus are freed
# twice when a thread of Perl ends.
our @OPTIONS = (
    [ size => 'J' ], [ max => 'I' ], [ take => 'I' ], [ wait => 'd' ], [ if_elapsed => 'd' ],
    [ expire_after => 'd' ], [ kill_grace => 'd' ], [ now => 'd' ], [ directory => 'J' ],
    [ id => 'J' ], [ mode => 'I' ], [ may_be_killed => 'i' ], [ on_lost => 'J' ],
    [ context => 'J' ], [ log => 'J' ], [ no_history => 'i' ], [ interruptible => 'i' ],
    [ wait_mask => 'J' ], [ sharing => 'i' ], [ on_busy => 'i' ], [ elapsed_from => 'i' ],
    [ wait_too_soon => 'i' ], [ max_hold => 'd' ], [ also => 'J' ], [ trust_fs => 'i' ],
    [ no_learn => 'i' ], [ rate => 'J' ], [ queue_max => 'i' ], [ store => 'J' ],
);
our @ENTRY = (
    [ size => 'J' ], [ state => 'J' ], [ slot => 'I' ], [ position => 'I' ], [ max => 'I' ],
    [ pid => 'q' ], [ kept_for => 'q' ], [ user => 'q' ], [ token => 'Q' ], [ start => 'd' ],
    [ age => 'd' ], [ expires => 'd' ], [ id => 'J' ], [ command => 'J' ], [ verified => 'i' ],
);

# What a type of eight bytes is aligned to inside of a struct.
my $EIGHT = $Config{ptrsize} == 4 && $Config{archname} =~ /^i\d86/ ? 4 : 8;

sub template (@fields) {
    my %alignment = (
        I => 4, i => 4, J => $Config{ptrsize}, d => $EIGHT, q => $EIGHT, Q => $EIGHT,
    );
    return join ' ', (map { "x!$alignment{ $_->[1] }$_->[1]" } @fields), "x!$EIGHT";
}

my $options_template = template(@OPTIONS);
my $entry_template   = template(@ENTRY);
my $entry_size       = length pack $entry_template, (0) x @ENTRY;
my $options_size     = length pack $options_template, (0) x @OPTIONS;

# The bytes of the struct with these values; every other field is 0.
sub options (%values) {
    $values{size} = $options_size;
    return pack $options_template, map { $values{ $_->[0] } // 0 } @OPTIONS;
}

$ffi->type('(opaque,opaque)->int'             => 'each');

$ffi->find_symbol('atmost_api_version') or die "atmost: $LIBRARY cannot be loaded\n";
my $version = $ffi->function(atmost_api_version => [] => 'int')->call;
$version >= $NEEDED_VERSION
    or die "atmost: $LIBRARY has API version $version; $NEEDED_VERSION is needed\n";

my @named = ('string', 'opaque', 'opaque*');
my @atom  = (('string') x 3, 'opaque', 'opaque*');
$ffi->attach([ "atmost_$_->[0]" => $_->[0] ], $_->[1] => $_->[2]) for (
    [ get           => \@named => 'int' ],
    [ get_atom      => \@atom  => 'int' ],
    [ begin         => \@named => 'int' ],
    [ begin_atom    => \@atom  => 'int' ],
    [ answered      => ['opaque'] => 'int' ],
    [ descriptor    => ['opaque'] => 'int' ],
    [ cancel        => ['opaque'] => 'void' ],
    [ finish        => [ 'opaque', 'opaque*' ] => 'int' ],
    [ release       => [ 'opaque', 'int' ] => 'void' ],
    [ token         => ['opaque'] => 'uint64' ],
    [ slot          => ['opaque'] => 'uint' ],
    [ held          => ['opaque'] => 'int' ],
    [ may_be_killed => ['int'] => 'int' ],
    [ list          => [ 'string', 'opaque', 'each', 'opaque' ] => 'int' ],
    [ check         => [ 'string', 'opaque', 'uint*' ] => 'int' ],
    [ message       => [] => 'string' ],
    [ retry_in      => [] => 'double' ],
    [ why           => [] => 'string' ],
);

# eventfd_write(fd, value) writes the eight bytes of `value` to a descriptor.
my $WRITE_EIGHT = FFI::Platypus->new(api => 2, lib => [undef])->find_symbol('eventfd_write');
sub write_eight { return $WRITE_EIGHT }

sub closure ($code) { return $ffi->closure($code) }

# The fields of an entry; its texts are copied.
sub entry_at ($address) {
    my %entry;
    @entry{ map { $_->[0] } @ENTRY } =
        unpack $entry_template, unpack "P$entry_size", pack 'J', $address;
    $_ = unpack 'p', pack 'J', $_ for @entry{qw(state id command)};
    return \%entry;
}

1;
