# Completion of atmost for fish. `atmost completion` knows what there is to complete.
function __atmost_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l found (atmost completion $words[2..] "$last" 2>/dev/null)
    switch "$found[1]"
        case ':command *'
            set -l at (string replace ':command ' '' -- $found[1])
            set -l head
            if test (count $words) -gt $at
                set head (string escape -- $words[(math $at + 1)..])
            end
            complete -C (string join ' ' -- $head "$last")
        case :files
            __fish_complete_path "$last"
        case :directories
            __fish_complete_directories "$last"
        case '*'
            printf '%s\n' $found
    end
end
complete -c atmost -f -a '(__atmost_complete)'
