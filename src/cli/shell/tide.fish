# Prints one line for each completion of the current word.
function __tide_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if test (count $words) -eq 1
        string match -q -- '-*' $current; and __tide_list -; or __tide_list ''
        return
    end
    set -l values (__tide_place $words)
    string match -q -- '-*' $current; and set values @flag
    switch "$values[1]"
        case @file
            __fish_complete_path $current
        case @dir
            __fish_complete_directories $current
        case @preset
            $words[1] help --presets 2>/dev/null | string replace -r ' +' \t
        case @command
            __tide_list ''
        case @flag # a flag that was given is left out
            for line in (__tide_list $words[2])
                contains -- (string split -f 1 \t -- $line) $words; or echo $line
            end
        case @text
        case '*'
            string split ' ' $values
    end
end

# Prints what the current word is: values of a flag, a word that belongs to no flag, or @flag.
function __tide_place # WORDS before the current one
    set -l at 1
    set -l i (count $argv)
    while test $i -gt 2
        if string match -qr -- '^-[a-z-]' $argv[$i]
            set -l found (__tide_values $argv[2] $argv[$i] | string split -m 1 ' ')
            if test -n "$found[1]"; and test $at -le $found[1]
                echo $found[2]
                return
            end
            break
        end
        set at (math $at + 1)
        set i (math $i - 1)
    end
    set -l found (__tide_values $argv[2] '' | string split -m 1 ' ')
    test -n "$found[2]"; and echo $found[2]; or echo @flag
end

complete -c tide -f -a '(__tide_complete)'
