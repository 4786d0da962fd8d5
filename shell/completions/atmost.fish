# Completion of atmost for fish. What there is to complete is what --help of the program itself
# lists.
function __atmost_commands
    atmost --help 2>/dev/null | string match -rg '^  ([a-z]+) '
end
function __atmost_options
    set -l words (commandline -opc)
    test (count $words) -ge 2; or return
    atmost $words[2] --help 2>/dev/null | string replace -rf '^  .*? (--[a-z-]+)(?: \S+)?\s{2,}(.*)' '$1\t$2'
end
complete -c atmost -n 'test (count (commandline -opc)) -eq 1' -f -a '(__atmost_commands)'
complete -c atmost -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__atmost_options)'
