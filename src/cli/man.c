/* man.c: man pages in the language mdoc(7), from the tables of commands, flags and options. */
#include "cli/help.h"
#include "core/choice.h"
#include "io/ds.h"
#include "tide.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The day of the release, which docs/changelog.md has, too. Not the day of the build: the same sources give the same
   pages. */
static const char RELEASE_DAY[] = "November 23, 2026";

/* ---- text ----------------------------------------------------------------------------------------------------- */

/* Returns how roff writes a byte of text: the signs of code stay ASCII, so that a person can copy them to a shell.
   NULL: as it is. */
static const char *escape_of(char byte, bool code) {
    switch (byte) {
    case '\\': return "\\e";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    case '`': return "\\(ga";
    case '-': return "\\-";
    case '\'': return code ? "\\(aq" : NULL;
    default: return NULL;
    }
}

static void put_byte(char byte) {
    const char *escape = escape_of(byte, true);
    if (escape) fputs(escape, stdout);
    else putchar(byte);
}

/* Prints code. */
static void put_code(const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    for (; *text; text++) put_byte(*text);
}

/* Writes the word at `text`, which ends at a space or at a newline, to `word` as roff. *code tells whether the word is
   in code, which stands between two `. Returns the length of the word in the text. */
static size_t roff_word(const char *text, bool *code, char *word, size_t size) {
    const size_t length = strcspn(text, " \n");
    size_t used = 0;
    for (size_t i = 0; i < length && used + 8 < size; i++) {
        const char *escape = text[i] == '`' ? (*code ? "\\(cq" : "\\(oq") : escape_of(text[i], *code);
        if (text[i] == '`') *code = !*code;
        if (escape) used += (size_t)snprintf(word + used, size - used, "%s", escape);
        else word[used++] = text[i];
    }
    word[used] = '\0';
    return length;
}

/* The length of a word for mandoc, which writes a character outside ASCII as \[u1234]. */
static int columns_of(const char *word) {
    int columns = 0;
    for (; *word; word++) {
        const unsigned char byte = (unsigned char)*word;
        columns += byte < 0x80 ? 1 : byte >= 0xc0 ? 8 : 0;
    }
    return columns;
}

/* Prints prose in short lines, without the last newline. Each sentence begins a line, as roff wants it; an empty line
   begins a paragraph. */
static void put_prose(const char *text) {
    enum { WIDTH = 78 };
    char word[512];
    bool code = false, sentence_ended = false;
    for (int column = 0; *text; text += *text == ' ' || *text == '\n') {
        const char *begin = text;
        text += roff_word(text, &code, word, sizeof word);
        if (text == begin) continue;
        const bool paragraph = column && begin[-1] == '\n' && begin[-2] == '\n';
        const int width = columns_of(word);
        const bool new_line = (sentence_ended && !islower((unsigned char)*begin)) || column + width > WIDTH;
        if (paragraph) fputs("\n.Pp\n", stdout);
        else if (column) putchar(new_line ? '\n' : ' ');
        column = column && !paragraph && !new_line ? column + 1 : 0;
        if (!column && strchr(".'", word[0])) fputs("\\&", stdout);
        fputs(word, stdout);
        column += width;
        sentence_ended = !code && strchr(".!?", text[-1]);
    }
}

/* ---- the synopsis --------------------------------------------------------------------------------------------- */

/* Prints a word of a synopsis without brackets: a flag, a name in capitals for a value, a word to be typed as it is, or
   several of them between bars. after: the word before, for example "<". */
static void put_word(const char *word, int length, char after) {
    const bool value = isupper((unsigned char)word[0]) || after == '<' || after == '>' || !strncmp(word, "flags", 5);
    if (word[0] == '-') fputs(".Fl ", stdout);
    else if (isalnum((unsigned char)word[0])) fputs(value ? ".Ar " : ".Cm ", stdout);
    else if (word[0] == '.') fputs("\\&", stdout);
    for (int i = word[0] == '-'; i < length; i++)
        if (word[i] == '|' && length > 1) fputs(" | ", stdout);
        else put_byte(word[i]);
    putchar('\n');
}

static void put_usage(const char *usage) {
    for (char last = ' '; *usage; usage += strspn(usage, " ")) {
        int length = (int)strcspn(usage, " "), closing = 0;
        const char *next = usage + length;
        for (; *usage == '['; usage++, length--) puts(".Oo");
        while (usage[length - 1] == ']') closing++, length--;
        put_word(usage, length, last);
        last = *usage;
        while (closing--) puts(".Oc");
        usage = next;
    }
}

/* ---- options -------------------------------------------------------------------------------------------------- */

/* Prints help as a sentence. If it begins with the name of a choice, the name stays as it is typed. choices: NULL:
 * none. */
static void put_sentence(const char *help, const char *choices) {
    char text[512], word[32];
    const size_t length = strspn(help, "abcdefghijklmnopqrstuvwxyz-");
    snprintf(word, sizeof word, "%.*s", (int)length, help);
    snprintf(text, sizeof text, "%s", help);
    if (!choices || choice_find(choices, word) < 0) text[0] = (char)toupper((unsigned char)text[0]);
    put_prose(text);
    puts(".");
}

/* Returns whether the line already shows the choices of a flag: in its help, or as names of its values. */
static bool names_choices(const Flag *flag) {
    const char *name;
    char word[64];
    int length;
    for (int i = 0; flag->metavar && (name = choice_name(flag->choices, i, &length)); i++) {
        snprintf(word, sizeof word, "%.*s", length, name);
        if (!strstr(flag->help, word)) return false;
    }
    return true;
}

/* Writes which values a flag takes, for example "a number from 0 to 1"; "" if every value is possible. */
static void values_text(const Flag *flag, char *text, size_t size) {
    const char *number = flag->kind == VALUE_REAL          ? "a number"
                         : flag->kind == VALUE_INT         ? "a whole number"
                         : flag->kind == VALUE_INT_OR_ZERO ? "0, or a whole number"
                                                           : NULL;
    const char *name;
    int n = 0, length;
    text[0] = '\0';
    if (number) snprintf(text, size, "%s from %.10g to %.10g", number, flag->least, flag->most);
    for (int i = 0; !names_choices(flag) && (name = choice_name(flag->choices, i, &length)); i++)
        n += snprintf(text + n, size - (size_t)n, "%s%.*s", i ? ", " : "", length, name);
}

/* Prints which values a flag takes, and its default. */
static void put_values(const Flag *flag) {
    char values[256], text[384];
    values_text(flag, values, sizeof values);
    const char *before = !values[0] ? "" : flag->values == 2 ? "For each side: " : "Value: ";
    const char *usual = !flag->fallback ? "" : values[0] ? "; default: " : "Default: ";
    snprintf(text, sizeof text, "%s%s%s%s", before, values, usual, flag->fallback ? flag->fallback : "");
    if (!text[0]) return;
    put_prose(text);
    puts(".");
}

static void put_resume(const Option *option) {
    if (option->resume == RESUME_FIXED) puts("Fixed when a training continues.");
    if (option->resume == RESUME_EXPLICIT)
        puts("When a training continues, another value needs\n.Fl \\-allow\\-change .");
}

static void put_flag(const Command *command, const Flag *flag) {
    const char letter = flag_letter(flag->name);
    fputs(".It Fl ", stdout);
    if (letter) printf("%c , Fl ", letter);
    put_byte('-');
    put_code(flag->name);
    if (flag->values) fputs(" Ar ", stdout);
    for (const char *p = flag_metavar(flag); *p; p++)
        if (*p == '|') fputs(" | ", stdout);
        else put_byte(*p);
    if (command_option(command, flag)) fputs(" No *", stdout);
    putchar('\n');
    put_sentence(flag->help, flag->choices);
    put_values(flag);
    const Option *option = command_option(command, flag);
    if (option) put_resume(option);
}

static void put_flags(const Command *command) {
    Flag *flags = command_flags(command);
    puts(".Sh OPTIONS\n.Bl -tag -width Ds");
    for (ptrdiff_t i = 0; i < arrlen(flags); i++) put_flag(command, &flags[i]);
    if (command->groups) puts(".It Fl \\-help\nPrint the common flags.\n.It Fl \\-help\\-all\nPrint all flags.\n.El");
    else puts(".It Fl \\-help\nPrint the flags.\n.El");
    arrfree(flags);
}

/* ---- the other sections ---------------------------------------------------------------------------------------- */

static void put_files(const Remark *files) {
    if (!files) return;
    puts(".Sh FILES\n.Bl -tag -width Ds");
    for (; files->text; files++) {
        fputs(".It Pa ", stdout);
        put_code(files->text);
        putchar('\n');
        put_sentence(files->help, NULL);
    }
    puts(".El");
}

static void put_exit_status(void) {
    puts(".Sh EXIT STATUS\n.Bl -tag -width Ds\n"
         ".It 0\nThe command has done its work.\n"
         ".It 1\nIt failed; a line on standard error says why.\n"
         ".It 2\nThe command line is wrong.\n"
         ".It 130, 143\nCtrl-C (SIGINT) or SIGTERM ended it before its work was done.\n.El");
}

static void put_examples(const Remark *examples) {
    if (!examples) return;
    puts(".Sh EXAMPLES");
    for (const Remark *example = examples; example->text; example++) {
        if (example != examples) puts(".Pp");
        put_prose(example->help);
        puts(":\n.Bd -literal -offset indent");
        for (const char *p = example->text; *p; p++) put_byte(*p);
        puts("\n.Ed");
    }
}

static void put_header(const char *name, const char *summary) {
    char page[64], title[64];
    snprintf(page, sizeof page, "tide%s%s", name ? "-" : "", name ? name : "");
    for (size_t i = 0; i <= strlen(page); i++) title[i] = (char)toupper((unsigned char)page[i]);
    printf(".Dd %s\n.Dt %s 1\n.Os tide %s\n.Sh NAME\n.Nm %s\n.Nd %s\n", RELEASE_DAY, title, TIDE_VERSION, page,
           summary);
}

/* Prints the references to related commands, whose names are separated by spaces. */
static void put_see(const char *names) {
    fputs(".Sh SEE ALSO\n.Xr tide 1", stdout);
    for (; names && *names; names += strspn(names, " ")) {
        const int length = (int)strcspn(names, " ");
        printf(" ,\n.Xr tide-%.*s 1", length, names);
        names += length;
    }
    putchar('\n');
}

static void put_command_page(const Command *command) {
    put_header(command->name, command->summary);
    printf(".Sh SYNOPSIS\n.Nm tide\n.Cm %s\n", command->name);
    put_usage(command->usage);
    puts(".Sh DESCRIPTION");
    put_prose(command->about);
    putchar('\n');
    put_flags(command);
    put_files(command->files);
    put_exit_status();
    put_examples(command->examples);
    put_see(command->see);
}

/* ---- tide(1) --------------------------------------------------------------------------------------------------- */

static const Remark *const files = REMARKS(
    {"../share/tide/NAME.conf", "A preset for `tide train --preset`; the path begins at the folder of the program"},
    {"models/NAME.conf", "A preset of your own, in the current folder"},
    {"MODEL/model.safetensors", "A model with its configuration, its tokenizers and its vocabularies"});

static const Remark *const examples =
    REMARKS({"tide corpus --output corpus --tsv cmn.txt", "Clean a corpus and split it into train, dev and test"},
            {"tide train --preset small --model run1 \\\n"
             "    --train-sets corpus/train.zh corpus/train.en \\\n"
             "    --valid-sets corpus/dev.zh corpus/dev.en",
             "Train a model; the same command continues a training that was interrupted"},
            {"tide evaluate run1 --src corpus/test.zh --ref corpus/test.en", "Measure its quality"},
            {"echo 潮水退了，才知道谁没穿裤子。 | tide translate run1 --html page.html",
             "Translate a sentence, and write a page that shows which characters each word was read from"});

static const char about[] =
    "trains a translator on pairs of sentences, translates with it, and shows which source words each word of a "
    "translation was read from. The model is RNNsearch: an encoder and a decoder of gated recurrent units "
    "with attention between them.\n\n"
    "Text comes in on standard input, results go to standard output, and everything else goes to standard error. The "
    "results depend neither on the number of threads nor on the instruction set.";

static void put_overview(void) {
    put_header(NULL, "train a Chinese-English translator, translate, and show its alignments");
    puts(".Sh SYNOPSIS\n.Nm\n.Ar COMMAND\n.Op Ar flags\n.Nm\n.Fl \\-version\n.Sh DESCRIPTION\n.Nm");
    put_prose(about);
    puts("\n.Pp\nThe commands are:\n.Bl -tag -width Ds");
    for (int i = 0; commands[i]; i++) {
        printf(".It Xr tide-%s 1\n", commands[i]->name);
        put_sentence(commands[i]->summary, NULL);
    }
    puts(".El\n.Sh OPTIONS\n.Bl -tag -width Ds\n.It Fl \\-help\nList the commands.\n"
         ".It Fl \\-version\nPrint the version.\n.El");
    put_files(files);
    put_exit_status();
    put_examples(examples);
    printf(".Sh SEE ALSO\n.Rs\n.%%A D. Bahdanau\n.%%A K. Cho\n.%%A Y. Bengio\n"
           ".%%T Neural Machine Translation by Jointly Learning to Align and Translate\n.%%D 2015\n"
           ".%%U https://arxiv.org/abs/1409.0473\n.Re\n");
}

void man_print(const Command *command) {
    if (command) put_command_page(command);
    else put_overview();
}
