package Atmost::Native;

# The functions of libatmost, and the one of the C library that the binding needs.
use v5.36;
use Config;
use FFI::Platypus 2.00;

our $VERSION = '0.1.0';

my $NEEDED_VERSION = 1;    # ATMOST_API_VERSION of the header that this file was written from
my $LIBRARY        = 'libatmost.so.1';

# The library in the prefix that this file is installed in; else the one that the dynamic linker
# finds.
my ($prefix) = __FILE__ =~ m{\A(.+)/(?:lib|lib64|share)/perl5?/}s;
my @beside = defined $prefix ? grep { -e } map { "$prefix/$_/$LIBRARY" } qw(lib lib64) : ();

my $ffi = FFI::Platypus->new(api => 2, lib => [ @beside, $LIBRARY ]);

# The struct of atmost.h, each field with a letter of pack(): J a pointer or size_t, I and i
# integers, q and Q integers of 64 bits, d a double.
our @ENTRY = (
    [ size => 'J' ], [ state => 'J' ], [ slot => 'I' ], [ position => 'I' ], [ max => 'I' ],
    [ pid => 'q' ], [ kept_for => 'q' ], [ user => 'q' ], [ token => 'Q' ], [ start => 'd' ],
    [ age => 'd' ], [ expires => 'd' ], [ id => 'J' ], [ command => 'J' ], [ verified => 'i' ],
);

# The alignment of a type of eight bytes inside of a struct.
my $EIGHT = $Config{ptrsize} == 4 && $Config{archname} =~ /^i\d86/ ? 4 : 8;

sub template (@fields) {
    my %alignment = (
        I => 4, i => 4, J => $Config{ptrsize}, d => $EIGHT, q => $EIGHT, Q => $EIGHT,
    );
    return join ' ', (map { "x!$alignment{ $_->[1] }$_->[1]" } @fields), "x!$EIGHT";
}

my $entry_template   = template(@ENTRY);
my $entry_size       = length pack $entry_template, (0) x @ENTRY;

$ffi->type('(opaque,opaque)->int'             => 'each');

$ffi->find_symbol('atmost_api_version') or die "atmost: $LIBRARY cannot be loaded: is it installed? Then run ldconfig as root, or name"
    . " its folder in LD_LIBRARY_PATH\n";
my $version = $ffi->function(atmost_api_version => [] => 'int')->call;
$version >= $NEEDED_VERSION
    or die "atmost: $LIBRARY has API version $version; $NEEDED_VERSION is needed\n";

$ffi->attach([ "atmost_$_->[0]" => $_->[0] ], $_->[1] => $_->[2]) for (
    [ new             => ['string'] => 'opaque' ],
    [ new_atom        => [ 'string', 'string' ] => 'opaque' ],
    [ free            => ['opaque'] => 'void' ],
    [ set             => [ 'opaque', 'string', 'string' ] => 'int' ],
    [ set_seconds     => [ 'opaque', 'string', 'double' ] => 'int' ],
    [ set_number      => [ 'opaque', 'string', 'sint64' ] => 'int' ],
    [ set_on_lost     => [ 'opaque', 'opaque', 'opaque' ] => 'int' ],
    [ waits           => ['opaque'] => 'int' ],
    [ get             => [ 'opaque', 'opaque*' ] => 'int' ],
    [ begin           => [ 'opaque', 'opaque*' ] => 'int' ],
    [ answered      => ['opaque'] => 'int' ],
    [ descriptor    => ['opaque'] => 'int' ],
    [ cancel        => ['opaque'] => 'void' ],
    [ finish        => [ 'opaque', 'opaque*' ] => 'int' ],
    [ release       => [ 'opaque', 'int' ] => 'void' ],
    [ token         => ['opaque'] => 'uint64' ],
    [ slot          => ['opaque'] => 'uint' ],
    [ held          => ['opaque'] => 'int' ],
    [ may_be_killed => ['int'] => 'int' ],
    [ list          => [ 'opaque', 'each', 'opaque' ] => 'int' ],
    [ check         => [ 'opaque', 'uint*' ] => 'int' ],
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
