# Sets place to what the current word is: values of a flag, a word that belongs to no flag, or @flag.
_tide_place() {
    local i at=1
    local -a found
    for ((i = CURRENT - 1; i > 2; i--, at++)); do
        [[ $words[i] == -[a-z-]* ]] || continue
        found=($(_tide_values $words[2] $words[i]))
        (( at > ${found[1]:-0} )) || { place=($found[2,-1]); return }
        break
    done
    found=($(_tide_values $words[2] ''))
    place=(${found[2,-1]:-@flag})
}

_tide() {
    local word
    local -a lines place
    if (( CURRENT == 2 )); then
        if [[ $words[2] == -* ]]; then _tide_list -; else _tide_list ''; fi
        _describe command lines
        return
    fi
    _tide_place
    [[ $words[CURRENT] == -* ]] && place=(@flag)
    case $place[1] in
    @file) _files ;;
    @dir) _directories ;;
    @preset)
        lines=(${${(f)"$($words[1] help --presets 2>/dev/null)"}/ ##/:})
        _describe preset lines
        ;;
    @command) _tide_list '' && _describe command lines ;;
    @flag)
        _tide_list $words[2]
        for word in $words[3,CURRENT-1]; do lines=(${lines:#$word:*}); done # a flag that was given is left out
        _describe -o flag lines
        ;;
    @text) _message value ;;
    *) compadd -a place ;;
    esac
}
if [[ $funcstack[1] == _tide ]]; then _tide "$@"; else compdef _tide tide; fi
