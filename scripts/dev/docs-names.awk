# Prints a line for each name on the pages that does not exist. For scripts/dev/docs-check.
#
# First file: the existing names, one on each line: "tide COMMAND", "tide COMMAND FLAG", "script PATH", "script PATH FLAG",
# "make TARGET", "makefile FLAG", "preset NAME". Second file: the records of scripts/dev/docs.awk.

function wrong(what) { print page ":" line ": " what }

# Whether the command has the flag; if command is "", whether any command has it. --dim-* means any flag that begins with
# --dim-.
function of_tide(command, flag,    start, one) {
    start = "tide " (command == "" ? "" : command " ") flag
    if (flag !~ /-$/) return start in known
    for (one in known)
        if (index(one, start) == 1) return 1
    return 0
}

# Whether a script that the page names, or the Makefile, contains the flag.
function on_page(flag,    script) {
    for (script in scripts)
        if (index(mentioned[page], " " script " ") && ("script " script " " flag) in known) return 1
    return ("makefile " flag) in known
}

# Checks a flag of a program. A script may also have all flags of tide, because it may pass them to tide.
function check_flag(name, program, command) {
    if ((page, name) in foreign) return
    if (program == "tide") {
        if (!of_tide(command, name)) wrong("tide " command (command ? " " : "") "has no flag " name)
    } else if (program ~ /^scripts\//) {
        if (!(("script " program " " name) in known) && !of_tide("", name)) wrong(program " has no flag " name)
    } else if (!of_tide("", name) && !on_page(name))
        wrong("no command, and no script that the page names, has the flag " name)
}

function check_flags(text, words, count, program, command,    i, word) {
    for (i = 1; i <= count; i++)
        if (match(words[i], /^\[?-[A-Za-z][A-Za-z0-9-]*/)) {
            word = substr(words[i], 1, RLENGTH)
            sub(/^\[/, "", word)
            check_flag(word, program, command)
        }
    while (match(text, /(^|[^A-Za-z0-9_-])--[a-z][a-z0-9-]*/)) {
        word = substr(text, RSTART, RLENGTH)
        sub(/^[^-]*/, "", word)
        check_flag(word, program, command)
        text = substr(text, RSTART + RLENGTH)
    }
}

function check_targets(words, count,    i) {
    for (i = 2; i <= count && words[i] !~ /[<>]/; i++)
        if (words[i] ~ /^[a-z][a-z0-9-]*$/ && !(("make " words[i]) in known)) wrong("make has no target " words[i])
}

# Checks one command of a line, or the code in a sentence.
function check_command(text, in_sentence,    words, count, i, program, command) {
    sub(/^[ ($]+/, "", text)
    while (match(text, /^(do|then|else|time|sudo|nice|env|!|if|while|[A-Za-z_]+=[^ ]*)  */))
        text = substr(text, RLENGTH + 1)
    count = split(text, words, / +/)
    program = words[1]
    sub(/^\.\/|^build\//, "", program)
    if (program == "make") {
        check_targets(words, count)
        return
    }
    command = ""
    if (program == "tide") {
        if (words[2] ~ /^[a-z]+$/ && words[2] != "help") command = words[2]
        if (command != "" && !(("tide " command) in known)) {
            wrong("tide has no command " command)
            return
        }
    } else if (program ~ /^scripts\/[a-z0-9.\/-]+$/) {
        if (!(program in scripts)) { # a single word in a sentence is checked as a path
            if (count > 1 || !in_sentence) wrong("there is no " program)
            return
        }
    } else if (!in_sentence || program in others) return

    for (i = 1; i < count; i++)
        if (words[i] == "--preset" && words[i + 1] ~ /^[a-z0-9]+$/ && !(("preset " words[i + 1]) in known))
            wrong("there is no preset " words[i + 1])
    check_flags(text, words, count, program, command)
}

function check_record(kind, text,    part, count, i) {
    if (kind == "setting" || kind == "code" && text ~ /^[a-z]+(-[a-z]+)+ = /) {
        sub(/ .*/, "", text)
        if (!of_tide("train", "--" text)) wrong("there is no option " text)
    } else if (kind == "code" || kind == "command") {
        count = split(text, part, /\$\(|[|;&`]+/)
        for (i = 1; i <= count; i++) check_command(part[i], kind == "code")
    }
}

BEGIN {
    FS = "\t"
    count = split("apt apt-get awk cc chromium clang cmake curl cut docker emcc gcc gdb git grep head mpirun node opencc " \
        "perf pip python3 rsvg-convert sed sh sort ssh sudo tail tar valgrind wget", list, " ")
    for (i = 1; i <= count; i++) others[list[i]] = 1
}

NR == FNR {
    known[$0] = 1
    split($0, word, " ")
    if (word[1] == "tide" && word[3] != "") known["tide " word[3]] = 1
    if (word[1] == "script") scripts[word[2]] = 1
    next
}

$1 == "foreign" { foreign[$2, $4] = 1 }

$1 == "code" || $1 == "command" {
    text = $4
    while (match(text, /scripts\/[a-z0-9\/-]+/)) {
        mentioned[$2] = mentioned[$2] " " substr(text, RSTART, RLENGTH) " "
        text = substr(text, RSTART + RLENGTH)
    }
}

{ record[++records] = $0 }

END {
    for (i = 1; i <= records; i++) {
        split(record[i], field, "\t")
        page = field[2]
        line = field[3]
        check_record(field[1], field[4])
    }
}
