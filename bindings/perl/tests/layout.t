# Compares the struct with the compiler's.
use v5.36;
use Atmost;
use File::Temp qw(tempdir);
use Test::More;

my $folder  = tempdir(CLEANUP => 1);
my %structs = (
    atmost_entry => \@Atmost::Native::ENTRY,
);
my ($prints, @expected) = ('');
for my $struct (sort keys %structs) {
    my @fields = $structs{$struct}->@*;
    for my $count (1 .. @fields) {
        my ($field, $letter) = $fields[ $count - 1 ]->@*;
        # Compares up to the end of this field, without the padding at the end of the struct.
        my $template = Atmost::Native::template(@fields[ 0 .. $count - 1 ]) =~ s/ \S+$//r;
        my $end      = length pack $template, (0) x $count;
        push @expected, "$struct.$field " . ($end - length pack $letter, 0);
        $prints .= qq{printf("$struct.$field %zu\\n", offsetof($struct, $field));\n};
    }
    push @expected, "$struct " . length pack Atmost::Native::template(@fields), (0) x @fields;
    $prints .= qq{printf("$struct %zu\\n", sizeof($struct));\n};
}
open my $source, '>', "$folder/print.c" or die $!;
print $source "#include <atmost/atmost.h>\n#include <stddef.h>\n#include <stdio.h>\n",
    "int main(void) { $prints }\n";
close $source;
my @cc = ('cc', split(' ', `pkg-config --cflags atmost`), '-o', "$folder/print", "$folder/print.c");
is(system(@cc), 0, 'compiled');
is_deeply([ split /\n/, `$folder/print` ], \@expected, 'as in the header');
done_testing;
