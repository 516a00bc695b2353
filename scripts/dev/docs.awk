# Reads Markdown pages for docs-check and prints the things to check, one record per line, fields separated by tabs:
#
#   anchor PAGE LINE NAME             a heading, named as GitHub names it
#   link PAGE LINE TARGET             picture PAGE LINE TARGET SCRIPT: the script of `made by`, or -
#   code PAGE LINE TEXT               code in a sentence, or a flag without backquotes in a sentence
#   command PAGE LINE TEXT            a line of a block of commands
#   setting PAGE LINE KEY             a line of a block of configuration
#   block PAGE LINE WHEN STATUS NAME  a block of commands, written to DIR/NAME.sh; DIR/NAME.before must run before it.
#                                     DIR/NAME.needs and DIR/NAME.varies have the values of these marks. If lines begin with
#                                     `$ `, DIR/NAME.shown is in the format of docs-output.awk, and command K of DIR/NAME.sh
#                                     writes to $printed/K.out and $printed/K.err; else DIR/NAME.shown is empty
#   foreign PAGE LINE FLAG            a flag that the page marks as a flag of another program
#   wrong PAGE LINE TEXT              an error in a mark or a block
#
# -v dir=DIR: the directory for the blocks. Runs with LC_ALL=C, because it reads bytes.

function record(kind, line, text, rest) {
    gsub(/\t/, " ", text)
    print kind "\t" page "\t" line "\t" text (rest == "" ? "" : "\t" rest)
}

function trimmed(text) {
    sub(/^[ \t]+/, "", text)
    sub(/[ \t]+$/, "", text)
    return text
}

function newlines(text) { return gsub(/\n/, "", text) }

# ---- headings -------------------------------------------------------------------------------------------------------

# The anchor of a heading: lower case, without punctuation, a hyphen for each space. Removes the punctuation and symbols of
# ASCII and Latin-1, those from U+2000 to U+2BFF, and those of Chinese text.
function slug(text) {
    gsub(/<[^>]*>/, "", text)
    while (match(text, /\]\([^)]*\)/)) text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
    text = trimmed(tolower(text))
    gsub(/[!-,.\/:-@\[-^`{-~]/, "", text)
    gsub(/\302[\240-\251\253-\264\266-\271\273-\277]|\303[\227\267]|\342[\200-\257][\200-\277]/, "", text)
    gsub(/\343\200[\200-\204\210-\277]|\357\274[\200-\217\232-\240\273-\276]|\357\275[\200\233-\245]/, "", text)
    gsub(/ /, "-", text)
    return text
}

function anchor(text,    name, number) {
    name = slug(text)
    number = headings[page, name]++
    record("anchor", FNR, number ? name "-" number : name)
}

# ---- sentences: code, links, pictures -------------------------------------------------------------------------------

# Returns the position of the first run of exactly `count` backquotes in the text; 0 if there is none.
function closing(text, count,    at) {
    at = 0
    while (match(text, /`+/)) {
        if (RLENGTH == count) return at + RSTART
        at += RSTART + RLENGTH - 1
        text = substr(text, RSTART + RLENGTH)
    }
    return 0
}

function code(text, line) {
    gsub(/\n/, " ", text)
    gsub(/\\\|/, "|", text) # escaped in tables
    record("code", line, trimmed(text))
}

# Records the code of a paragraph and returns the paragraph without it; line breaks are kept.
function without_code(text, line,    out, count, end, inside) {
    out = ""
    while (match(text, /`+/)) {
        count = RLENGTH
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        end = closing(text, count)
        if (!end) continue
        inside = substr(text, 1, end - 1)
        code(inside, line + newlines(out))
        gsub(/[^\n]/, "", inside)
        out = out "x" inside
        text = substr(text, end + count)
    }
    return out text
}

function picture(target, line) {
    record("picture", line, target, made_by ? made_by : "-")
    if (made_by) made_used = 1
}

function attributes(text, line,    from, at, what, value) {
    from = 0
    while (match(substr(text, from + 1), /(src|srcset|href|id|name)="[^"]*"/)) {
        at = from + RSTART
        from = at + RLENGTH - 1
        what = substr(text, at, RLENGTH - 1)
        value = what
        sub(/="[^"]*$/, "", what)
        sub(/^[a-z]*="/, "", value)
        sub(/ .*/, "", value)
        if (what == "href") record("link", line + newlines(substr(text, 1, at)), value)
        else if (what == "id" || what == "name") record("anchor", line, value)
        else picture(value, line + newlines(substr(text, 1, at)))
    }
}

# Records the links, pictures and flags of the paragraph: the lines since the end of the previous paragraph.
function flush(    text, rest, before, target) {
    if (paragraph == "") return
    text = without_code(paragraph, first)
    paragraph = ""
    attributes(text, first)
    rest = ""
    while (match(text, /\](\(<[^>\n]*>|\([^() \n]*(\([^() \n]*\)[^() \n]*)*)/)) {
        before = substr(text, 1, RSTART)
        target = substr(text, RSTART + 2, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        rest = rest before
        gsub(/[<>]/, "", target)
        if (index(before, "![")) picture(target, first + newlines(rest))
        else record("link", first + newlines(rest), target)
    }
    rest = rest text
    gsub(/https?:[^ >)]*/, "", rest)
    text = ""
    while (match(rest, /(^|[^A-Za-z0-9_-])--[a-z][a-z0-9-]*/)) {
        text = text substr(rest, 1, RSTART)
        target = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/^[^-]*/, "", target)
        record("code", first + newlines(text), target)
    }
}

# ---- marks ----------------------------------------------------------------------------------------------------------

function comment(text, line,    flags, i, count) {
    if (text ~ /^made by /) {
        made_by = trimmed(substr(text, 9))
        made_used = 0
        return
    }
    if (text !~ /^check:/) return
    text = trimmed(substr(text, 7))
    if (text ~ /^not tide's: /) {
        count = split(substr(text, 13), flags, / +/)
        for (i = 1; i <= count; i++) record("foreign", line, flags[i])
        return
    }
    marked = line
    if (text == "soak") when = "soak"
    else if (text ~ /^no, ./) when = "no"
    else if (text ~ /^status [0-9]+$/) status = substr(text, 8)
    else if (text ~ /^needs ./) needs = trimmed(substr(text, 7))
    else if (text ~ /^varies ./) varies = substr(text, 8)
    else if (text ~ /^after ./) before_block = before_block substr(text, 7) "\n"
    else record("wrong", line, "scripts/dev/docs-check does not know the mark `check: " text "`")
}

function unmark() {
    marked = 0
    when = "short"
    status = 0
    before_block = ""
    needs = ""
    varies = ""
}

# ---- blocks ---------------------------------------------------------------------------------------------------------

function open_block(    info) {
    match($0, /^ */)
    indent = RLENGTH
    info = substr($0, indent + 1)
    match(info, /^(`+|~+)/)
    fence = substr(info, 1, RLENGTH)
    info = tolower(trimmed(substr(info, RLENGTH + 1)))
    sub(/[^a-z0-9+-].*/, "", info)
    opened = FNR
    kind = info ~ /^(sh|bash|shell|console)?$/ ? "commands" : info ~ /^(ini|conf)$/ ? "settings" : "text"
    if (marked && kind != "commands") record("wrong", FNR, "a mark before a block of " info)
    lines = 0
    prompts = 0
}

function write(name, text) {
    printf "%s", text >(dir "/" name)
    close(dir "/" name)
}

function close_block(    i, script, whole, line, name, shown, output, commands) {
    fence = ""
    if (kind == "commands") {
        name = ++blocks
        for (i = 1; i <= lines; i++) {
            shown = block[i]
            if (prompts && !more) {
                if (shown !~ /^\$ /) {
                    output = output "shown\t" opened + i "\t" shown "\n"
                    continue
                }
                shown = substr(shown, 3)
                output = output "command\t" opened + i "\n"
                script = script "exec >\"$printed/" ++commands ".out\" 2>\"$printed/" commands ".err\"\n"
            }
            more = shown ~ /\\$/
            script = script shown "\n"
            if (whole == "") line = opened + i
            whole = whole shown
            if (more) {
                sub(/\\$/, " ", whole)
                continue
            }
            sub(/^#.*/, "", whole)
            sub(/ #.*/, "", whole)
            if (whole != "") record("command", line, whole)
            whole = ""
        }
        write(name ".sh", script)
        write(name ".before", before_block)
        write(name ".needs", needs)
        write(name ".shown", output)
        write(name ".varies", varies)
        record("block", opened, when, status "\t" name)
    }
    if (kind == "settings")
        for (i = 1; i <= lines; i++)
            if (block[i] ~ /^[a-z-]+ *=/) {
                line = block[i]
                sub(/ *=.*/, "", line)
                record("setting", opened + i, line)
            }
    more = 0
    unmark()
}

function end_of_page() {
    flush()
    if (fence != "") record("wrong", opened, "the block that begins here does not end")
    if (marked) record("wrong", marked, "a mark without a block after it")
    fence = ""
    commenting = 0
    made_by = ""
    unmark()
}

FNR == 1 {
    if (NR > 1) end_of_page()
    page = FILENAME
    unmark()
}

fence != "" {
    line = $0
    for (i = 0; i < indent && line ~ /^ /; i++) line = substr(line, 2)
    ends = line
    sub(/[ \t]+$/, "", ends)
    if (length(ends) >= length(fence) && substr(ends, 1, length(fence)) == fence && ends ~ /^(`+|~+)$/) close_block()
    else {
        block[++lines] = line
        if (line ~ /^\$ /) prompts++
    }
    next
}

# Only a comment at the beginning of a line is a mark.
commenting || /^ *<!--/ {
    if (!commenting) {
        flush()
        remark = ""
        sub(/^ *<!--/, "")
        commenting = FNR
    }
    if (!(end = index($0, "-->"))) {
        remark = remark $0 " "
        next
    }
    comment(trimmed(remark substr($0, 1, end - 1)), commenting)
    $0 = substr($0, end + 3)
    commenting = 0
    if ($0 ~ /^[ \t]*$/) next
}

/^[ \t]*$/ {
    flush()
    if (made_used) made_by = ""
    next
}

/^ *(```|~~~)/ {
    flush()
    open_block()
    next
}

{
    if (marked) {
        record("wrong", marked, "a mark without a block after it")
        unmark()
    }
    if ($0 ~ /^ *(\||[-*+] |[0-9]+[.)] |>)/) flush()
    if ($0 ~ /^ *\[[^]]+\]: +[^ ]/) {
        flush()
        target = $0
        sub(/^ *\[[^]]+\]: +/, "", target)
        sub(/ .*/, "", target)
        record("link", FNR, target)
        next
    }
    if ($0 ~ /^#+ /) {
        flush()
        heading = $0
        sub(/^#+ +/, "", heading)
        sub(/ +#+ *$/, "", heading)
        anchor(heading)
    }
    if (paragraph == "") first = FNR
    paragraph = paragraph $0 "\n"
    if ($0 ~ /^#+ /) flush()
}

END { end_of_page() }
