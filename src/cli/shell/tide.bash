# shellcheck shell=bash
# Prints the flag whose value the current word is, if it is one, and what the values are.
_tide_place() { # COMMAND
    local i at=1 most values
    for ((i = COMP_CWORD - 1; i > 1; i--, at++)); do
        [[ ${COMP_WORDS[i]} == -[a-z-]* ]] || continue
        read -r most values <<<"$(_tide_values "$1" "${COMP_WORDS[i]}")"
        ((at > ${most:-0})) || { echo "$values"; return; }
        break
    done
    read -r most values <<<"$(_tide_values "$1" '')"
    echo "${values:-@flag}"
}

# Fills COMPREPLY with the words of a list that begin as the current word does. A flag that was given is left out.
_tide_words() { # WORD ...
    local word given=" ${COMP_WORDS[*]:1:COMP_CWORD-1} "
    for word; do
        [[ $word == "$current"* ]] || continue
        [[ $word == --* && $given == *" $word "* ]] || COMPREPLY+=("$word")
    done
}

_tide_paths() { # files or directories: -f or -d
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_tide() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} values
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        command=${current:0:1}
        [[ $command == - ]] || command=''
        values=@flag
    elif [[ $current == -* ]]; then values=@flag
    else values=$(_tide_place "$command")
    fi
    # shellcheck disable=SC2046,SC2086 # lists of words
    case $values in
    @file) _tide_paths -f ;;
    @dir) _tide_paths -d ;;
    @preset) _tide_words $("${COMP_WORDS[0]}" help --presets 2>/dev/null | cut -d ' ' -f 1) ;;
    @command) _tide_words $(_tide_list '') ;;
    @flag) _tide_words $(_tide_list "$command") ;;
    @text) ;;
    *) _tide_words $values ;;
    esac
}
complete -F _tide tide
