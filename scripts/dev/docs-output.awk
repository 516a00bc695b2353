# Compares what the commands of a block printed with what the page shows, for docs-check. Reads the file that docs.awk wrote
# for the block, with a line for each command and for each line of output below it; fields are separated by tabs:
#
#   command LINE              shown LINE TEXT
#
# PRINTED/K.out and PRINTED/K.err are what command K wrote to standard output and to standard error. Prints PAGE:LINE: WHAT for
# each command whose output differs, then `compared N`, the number of commands.
#
# -v page=PAGE -v printed=PRINTED; in the environment, varies=REGEX: what matches REGEX may be another text that matches it.

function read_lines(file,    line) {
    while ((getline line <file) > 0) said[++count] = plain(line)
    close(file)
}

function plain(line) {
    sub(/[ \t]+$/, "", line)
    if (varies != "") gsub(varies, "\001", line)
    return line
}

# `…` in a line stands for any text.
function line_fits(pattern, line,    parts, n, i, at) {
    n = split(pattern, parts, "…")
    if (n <= 1) return pattern == line
    if (substr(line, 1, length(parts[1])) != parts[1]) return 0
    line = substr(line, length(parts[1]) + 1)
    for (i = 2; i < n; i++) {
        if (!(at = index(line, parts[i]))) return 0
        line = substr(line, at + length(parts[i]))
    }
    return length(line) >= length(parts[n]) && substr(line, length(line) - length(parts[n]) + 1) == parts[n]
}

# The number of lines of shown[first .. last] that said[at + 1 ..] begins with.
function common(first, last, at,    i) {
    for (i = first; i <= last && at + 1 + i - first <= count; i++)
        if (!line_fits(shown[i], said[at + 1 + i - first])) break
    return i - first
}

# What differs; "" if nothing. A line `…` stands for any lines: the lines between two of them follow each other, at the first
# place where they are found. Those before the first `…` are at the beginning, those after the last one at the end.
function difference(    first, last, at, same, free) {
    for (first = 1; first <= lines + 1; first = last + 2) {
        for (last = first; last <= lines && shown[last] != "…"; last++) ;
        last--
        if (last == lines && free && count - (last - first + 1) > at) at = count - (last - first + 1)
        while ((same = common(first, last, at)) < last - first + 1 && free && last < lines && at < count) at++
        if (same < last - first + 1) {
            if (last < lines && free) return place[first] ": this is not printed: " shown[first]
            if (at + same >= count)
                return place[first + same] ": nothing more is printed, but the page shows: " shown[first + same]
            return place[first + same] ": the page shows: " shown[first + same] "\n    this is printed: " said[at + 1 + same]
        }
        at += same
        free = 1
    }
    if (at < count && shown[lines] != "…") return command ": the page does not show what is printed: " said[at + 1]
}

# The shown lines are those of standard output, or of standard error and then of standard output.
function compare(    what, other) {
    number++
    count = 0
    read_lines(printed "/" number ".out")
    if ((what = difference()) == "") return
    if (lines) {
        other = count
        count = 0
        read_lines(printed "/" number ".err")
        read_lines(printed "/" number ".out")
        if (!other) what = ""
        if ((other = difference()) == "") return
        if (what == "") what = other
    }
    gsub(/\001/, "…", what)
    print page ":" what
}

BEGIN {
    FS = "\t"
    varies = ENVIRON["varies"]
}
$1 == "command" {
    if (command) compare()
    command = $2
    lines = 0
}
$1 == "shown" {
    place[++lines] = $2
    shown[lines] = plain(substr($0, length($1 $2) + 3))
}
END {
    if (command) compare()
    print "compared " number
}
