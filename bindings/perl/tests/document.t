# Every example of README.md, each in a process and a folder of its own.
use v5.36;
use Cwd ();
use File::Spec;
use FindBin;
use lib $FindBin::Bin;
use Outside qw(fresh);
use Test::More;

open my $file, '<', "$FindBin::Bin/../README.md" or die $!;
my $start = Cwd::getcwd();
my @examples = do { local $/; <$file> } =~ /\n```perl\n(.*?)\n```\n/gs;
cmp_ok(scalar @examples, '>=', 9, 'there are examples');
for my $number (1 .. @examples) {
    chdir fresh() or die $!;
    open my $script, '>', 'example.pl' or die $!;
    print $script "use v5.36;\n$examples[$number - 1]\n";
    close $script;
    is(system('timeout', 300, $^X, (map { "-I$_" } map { File::Spec->rel2abs($_, $start) } @INC), 'example.pl'), 0, "example $number");
}
chdir '/';
done_testing();
