#include "corpus/corrections.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "io/lines.h"
#include "io/output.h"
#include "io/string_table.h"
#include "text/codes.h"
#include "text/unicode.h"
#include "tide.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ID = 1 << 30 };

/* ---- what can be accepted ---------------------------------------------------------------------------------------- */

/* The text without blanks at both ends; *n receives its bytes. */
static const char *trim(const char *text, size_t *n) {
    const char *begin = NULL, *end = text;
    while (*text) {
        const char *at = text;
        if (is_blank(utf8_next(&text))) continue;
        if (!begin) begin = at;
        end = text;
    }
    *n = begin ? (size_t)(end - begin) : 0;
    return begin ? begin : end;
}

static int check_code(const char *code, Err *err) {
    enum { LONGEST = 35 }; /* RFC 5646, section 4.4.1 */
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t n = strnlen(code, LONGEST + 1);
    if (n > 0 && n <= LONGEST && strspn(code, allowed) == n) return 0;
    return err_set(err, NULL, 0, "a code of a language has 1 to %d letters, digits and -", LONGEST);
}

/* Whether a character is a control character, or one that separates lines or paragraphs. */
static bool breaks_line(int32_t c) { return c < ' ' || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029; }

static int check_text(const char *text, const char *name, bool may_be_blank, Err *err) {
    size_t n;
    if (!utf8_valid(text, strlen(text))) return err_set(err, NULL, 0, "the %s is not valid UTF-8", name);
    text = trim(text, &n);
    if (n == 0 && !may_be_blank) return err_set(err, NULL, 0, "the %s is empty", name);
    const char *const end = text + n;
    for (int count = 0; text < end; count++) {
        const int32_t c = utf8_next(&text);
        if (count == CORRECTION_CHARACTERS)
            return err_set(err, NULL, 0, "the %s has more than %d characters", name, CORRECTION_CHARACTERS);
        if (c != '\t' && breaks_line(c))
            return err_set(err, NULL, 0, "the %s has a line break or a control character (U+%04X)", name, (unsigned)c);
    }
    return 0;
}

/* Whether a text has the form of the times in a file. */
static bool is_time(const char *text) {
    static const char form[] = "0000-00-00T00:00:00Z";
    if (strlen(text) != strlen(form)) return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
    return true;
}

/* How many characters of a kind a text has. */
typedef struct Script {
    int han, kana, letters, latin; /* letters: all but Han, with kana and latin */
    int width;                     /* about as many letters as a translation into English would have */
} Script;

static Script count_script(const char *text) {
    enum { HAN_WIDTH = 3 };
    Script s = {0};
    while (*text) {
        const int32_t c = utf8_next(&text);
        s.han += is_han(c);
        s.kana += c >= 0x3040 && c <= 0x30FF;
        s.letters += is_letter(c);
        s.latin += is_ascii_letter(c);
        s.width += is_han(c) ? HAN_WIDTH : 1;
    }
    return s;
}

/* Whether a text has no Han character, and all its words stand in the source: names, code. */
static bool copies_words(const char *text, const char *source) {
    for (const char *end; *text; text = end) {
        const char *at = text;
        const int32_t c = utf8_next(&at);
        end = run_end(text);
        if (is_han(c) || (is_letter(c) && !memmem(source, strlen(source), text, (size_t)(end - text)))) return false;
    }
    return true;
}

/* Whether a text cannot be one of the target language. */
static bool wrong_script(const Script *s, const char *lang) {
    if (chinese_language(lang)) return s->letters && !s->han;
    if (unspaced_language(lang)) return s->letters && !s->han && !s->kana;
    if (han_language(lang)) return false;
    return s->han > s->letters || (english_language(lang) && s->letters && !s->latin);
}

/* Checks the normalised texts. */
static int check_pair(const char *source, const char *correction, const char *lang, Err *err) {
    enum { MOST_RATIO = 4, GRACE = 20 };
    const Script s = count_script(source), t = count_script(correction);
    if (!strcmp(source, correction)) return err_set(err, NULL, 0, "the correction is the source");
    if (wrong_script(&t, lang) && !copies_words(correction, source))
        return err_set(err, NULL, 0, "the correction is not in the language \"%s\"", lang);
    if (t.width > MOST_RATIO * s.width + GRACE || s.width > MOST_RATIO * t.width + GRACE)
        return err_set(err, NULL, 0, "the correction is too %s to be a translation of the source",
                       t.width > s.width ? "long" : "short");
    return 0;
}

int correction_check(const Correction *c, Err *err) {
    if (c->time && !is_time(c->time)) return err_set(err, NULL, 0, "the time is not as in \"2026-11-29T12:00:00Z\"");
    if (check_code(c->langs[0], err) || check_code(c->langs[1], err) ||
        check_text(c->model, "name of the model", true, err) || check_text(c->source, "source", false, err) ||
        check_text(c->correction, "correction", false, err) ||
        (c->translation && check_text(c->translation, "translation", true, err)))
        return -1;
    char *source = text_normalise(c->source, strlen(c->source), NULL);
    char *correction = text_normalise(c->correction, strlen(c->correction), NULL);
    const int status = check_pair(source, correction, c->langs[1], err);
    mem_free(source);
    mem_free(correction);
    return status;
}

/* ---- entries in memory ------------------------------------------------------------------------------------------- */

static void clear(Correction *c) {
    char *const texts[] = {c->time, c->model, c->langs[0], c->langs[1], c->source, c->translation, c->correction};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) mem_free(texts[i]);
    *c = (Correction){.id = c->id};
}

void corrections_free(Correction *corrections) {
    for (ptrdiff_t i = 0; i < arrlen(corrections); i++) clear(&corrections[i]);
    arrfree(corrections);
}

/* What corrections of the same sentence in the same languages share; the caller owns it. */
static char *key_of(const Correction *c) {
    char *source = text_normalise(c->source, strlen(c->source), NULL);
    const size_t size = strlen(c->langs[0]) + strlen(c->langs[1]) + strlen(source) + 3;
    char *key = mem_alloc(size);
    snprintf(key, size, "%s\t%s\t%s", c->langs[0], c->langs[1], source);
    mem_free(source);
    return key;
}

const Correction **corrections_current(const Correction *all, int n) {
    StringTable keys = {0};
    const Correction **current = NULL;
    int *numbers = NULL, *last = NULL; /* the key of each correction; the last correction of each key */
    for (int i = 0; i < n; i++) {
        char *key = key_of(&all[i]);
        arrput(numbers, string_table_add(&keys, key, strlen(key)));
        if (numbers[i] == arrlen(last)) arrput(last, i);
        last[numbers[i]] = i;
        mem_free(key);
    }
    for (int i = 0; i < n; i++)
        if (last[numbers[i]] == i) arrput(current, &all[i]);
    string_table_free(&keys);
    arrfree(numbers);
    arrfree(last);
    return current;
}

/* The index of an id in an array by ascending id; -1: it is not there. */
static int find(const Correction *all, long id) {
    int first = 0, end = (int)arrlen(all);
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (all[middle].id < id) first = middle + 1;
        else end = middle;
    }
    return first < arrlen(all) && all[first].id == id ? first : -1;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* What the lines of a file say. */
typedef struct Entries {
    Correction *all; /* stb_ds array by ascending id; source NULL: deleted */
    long last_id;    /* the greatest id; 0: none */
    size_t size;     /* bytes up to the end of the last line that is complete */
    bool open_end;   /* this line lacks its newline */
} Entries;

/* The object in a line; NULL: there is none. */
static cJSON *parse_object(const char *line, size_t n) {
    enum { MOST_VALUES = 64 };
    if (!utf8_valid(line, n) || json_has_nul(line, n) || json_values(line, n) > MOST_VALUES) return NULL;
    cJSON *json = json_parse(line, n);
    if (!json && errno == ENOMEM) mem_refused(n);
    if (cJSON_IsObject(json)) return json;
    cJSON_Delete(json);
    return NULL;
}

static const cJSON *member(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* The id that a member has; 0: it is not one. */
static long id_of(const cJSON *item) {
    const double number = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return number >= 1 && number <= MOST_ID && number == (double)(long)number ? (long)number : 0;
}

/* Appends the correction of an object. Returns NULL, or what is wrong. */
static const char *take_correction(Entries *entries, const cJSON *object) {
    const cJSON *langs = member(object, "langs"), *item = member(object, "translation");
    const char *const time = cJSON_GetStringValue(member(object, "time"));
    const char *const model = cJSON_GetStringValue(member(object, "model"));
    const char *const source = cJSON_GetStringValue(member(object, "source"));
    const char *const correction = cJSON_GetStringValue(member(object, "correction"));
    const char *const translation = cJSON_GetStringValue(item);
    const char *code[2];
    const long id = id_of(member(object, "id"));
    for (int i = 0; i < 2; i++) code[i] = cJSON_GetStringValue(cJSON_GetArrayItem(langs, i));
    if (id <= entries->last_id) return "\"id\" is not a whole number above the ids before it";
    if (!time || !is_time(time)) return "\"time\" is not as in \"2026-11-29T12:00:00Z\"";
    if (!cJSON_IsArray(langs) || cJSON_GetArraySize(langs) != 2 || !code[0] || !code[1])
        return "\"langs\" is not an array of two strings";
    if (!model || !source || !correction) return "\"model\", \"source\" or \"correction\" is not a string";
    if (item && !translation && !cJSON_IsNull(item)) return "\"translation\" is not a string";
    const Correction entry = {
        .id = id,
        .time = mem_strdup(time),
        .model = mem_strdup(model),
        .langs = {mem_strdup(code[0]), mem_strdup(code[1])},
        .source = mem_strdup(source),
        .translation = translation ? mem_strdup(translation) : NULL,
        .correction = mem_strdup(correction),
    };
    arrput(entries->all, entry);
    entries->last_id = id;
    return NULL;
}

/* Takes what a line says. Returns NULL, or what is wrong. */
static const char *take_object(Entries *entries, const cJSON *object) {
    const cJSON *deleted = member(object, "deleted");
    if (!deleted) return take_correction(entries, object);
    const long id = id_of(deleted);
    const int i = find(entries->all, id);
    if (id == 0) return "\"deleted\" is not the id of a correction";
    if (i >= 0) clear(&entries->all[i]);
    if (id > entries->last_id) entries->last_id = id;
    return NULL;
}

static bool is_blank_line(const char *line, size_t n) { return n == 0 || (strspn(line, " \t\r\n") >= n); }

/* Takes a line of n bytes; `whole`: it ends in a newline. Returns 1, or 0 if it is an incomplete line, or -1 with *err
   filled. */
static int take_line(Entries *entries, const char *line, size_t n, bool whole, const char *path, long number,
                     Err *err) {
    cJSON *object = parse_object(line, n);
    if (!object && !whole) return 0;
    if (!object && is_blank_line(line, n)) return 1;
    const char *wrong = object ? take_object(entries, object) : "line is not an object of JSON as tide writes it";
    cJSON_Delete(object);
    return wrong ? err_set(err, path, number, "%s", wrong) : 1;
}

/* Removes the deleted entries. Returns their number. */
static int compact(Entries *entries) {
    int kept = 0;
    const int n = (int)arrlen(entries->all);
    for (int i = 0; i < n; i++)
        if (entries->all[i].source) entries->all[kept++] = entries->all[i];
    if (n > 0) arrsetlen(entries->all, (size_t)kept);
    return n - kept;
}

/* Reads `size` bytes and a NUL. Sets *deleted to the number of entries that have lines, but are deleted. Returns 0, or
   -1 with *err filled; then the entries are released. */
static int read_entries(Entries *entries, const char *bytes, size_t size, int *deleted, const char *path, Err *err) {
    int status = 1;
    *entries = (Entries){0};
    arrsetcap(entries->all, 1); /* not NULL */
    for (long number = 1; status > 0 && entries->size < size; number++) {
        const char *line = bytes + entries->size, *newline = memchr(line, '\n', size - entries->size);
        const size_t n = newline ? (size_t)(newline - line) : size - entries->size;
        status = take_line(entries, line, n, newline, path, number, err);
        if (status > 0) entries->size += n + (newline != NULL);
        entries->open_end = status > 0 && !newline;
    }
    if (status < 0) corrections_free(entries->all);
    else *deleted = compact(entries);
    return status < 0 ? -1 : 0;
}

Correction *corrections_read(const char *path, Err *err) {
    Entries entries;
    size_t size;
    int deleted;
    char *bytes = text_read(path, &size, err);
    if (!bytes) return NULL;
    const int status = read_entries(&entries, bytes, size, &deleted, path, err);
    mem_free(bytes);
    return status ? NULL : entries.all;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void correction_write(FILE *out, const Correction *c) {
    fprintf(out, "{\"id\":%ld", c->id);
    json_print(out, ",\"time\":%s,\"model\":%s,\"langs\":[%s,%s],\"source\":%s", c->time, c->model, c->langs[0],
               c->langs[1], c->source);
    if (c->translation) json_print(out, ",\"translation\":%s", c->translation);
    json_print(out, ",\"correction\":%s}\n", c->correction);
}

/* The time now, as in the file. */
static char *time_now(void) {
    char text[sizeof "2026-11-29T12:00:00Z"];
    const time_t now = time(NULL);
    struct tm parts;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    return mem_strdup(text);
}

/* Whether XML can have a character (XML 1.0, section 2.2). */
static bool is_xml(int32_t c) { return c >= ' ' ? c != 0xFFFE && c != 0xFFFF : c == '\t' || c == '\n' || c == '\r'; }

static void write_xml(FILE *out, const char *text) {
    while (*text) {
        const char *at = text;
        const int32_t c = utf8_next(&text);
        if (strchr("&<>\"\r", *at)) fprintf(out, "&#%d;", c);
        else if (is_xml(c)) fwrite(at, 1, (size_t)(text - at), out);
        else fputs("\uFFFD", out);
    }
}

static void write_unit(FILE *out, const Correction *c) {
    const char *texts[2] = {c->source, c->correction};
    fprintf(out, "<tu tuid=\"%ld\" creationdate=\"", c->id);
    for (const char *t = c->time; *t; t++) /* 20261129T120000Z */
        if (*t != '-' && *t != ':') fputc(*t, out);
    fputs("\" srclang=\"", out);
    write_xml(out, c->langs[0]);
    fputs("\">\n<prop type=\"x-model\">", out);
    write_xml(out, c->model);
    fputs("</prop>\n", out);
    for (int i = 0; i < 2; i++) {
        fputs("<tuv xml:lang=\"", out);
        write_xml(out, c->langs[i]);
        fputs("\"><seg>", out);
        write_xml(out, texts[i]);
        fputs("</seg></tuv>\n", out);
    }
    fputs("</tu>\n", out);
}

void corrections_write_tmx(FILE *out, const Correction *const *corrections, int n) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n"
          "<header creationtool=\"tide\" creationtoolversion=\"" TIDE_VERSION "\" segtype=\"sentence\" o-tmf=\"tide\" "
          "adminlang=\"en\" srclang=\"*all*\" datatype=\"plaintext\"/>\n<body>\n",
          out);
    for (int i = 0; i < n; i++) write_unit(out, corrections[i]);
    fputs("</body>\n</tmx>\n", out);
}

/* ---- a file that changes ----------------------------------------------------------------------------------------- */

struct CorrectionFile {
    char *path;
    int fd;
    size_t size, most_bytes;
    bool torn; /* the file has more bytes than `size`, from a write that failed */
    Correction *all;
    char **keys; /* stb_ds array: key_of each entry */
    long last_id;
};

static int cannot_write(const char *path, Err *err) {
    return err_set(err, path, 0, "cannot be written: %s", strerror(errno));
}

/* Creates the directory of a file if it does not exist. Returns 0, or -1 with *err filled. */
static int make_directory(const char *path, Err *err) {
    char file[PATH_MAX], directory[PATH_MAX];
    if (snprintf(file, sizeof file, "%s", path) >= (int)sizeof file)
        return err_set(err, path, 0, "the path is too long");
    snprintf(directory, sizeof directory, "%s", dirname(file));
    if (mkdir(directory, 0700))
        return errno == EEXIST ? 0 : err_set(err, directory, 0, "cannot be created: %s", strerror(errno));
    return directory_sync(dirname(directory)) ? cannot_write(path, err) : 0;
}

static int sync_directory(const char *path, Err *err) {
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s", path);
    return directory_sync(dirname(file)) ? cannot_write(path, err) : 0;
}

/* Locks an open file. Returns 0, or -1 with *err filled. */
static int lock(int fd, const char *path, Err *warning, Err *err) {
    if (!flock(fd, LOCK_EX | LOCK_NB)) return 0;
    if (errno == EWOULDBLOCK) return err_set(err, path, 0, "another tide process uses this file");
    err_set(warning, path, 0, "cannot be locked (%s): make sure that no other tide process uses it", strerror(errno));
    return 0;
}

/* Opens and locks the file that has this path now: another process can replace it between the two calls. Returns 0, or
   -1 with *err filled. */
static int open_locked(CorrectionFile *file, Err *warning, Err *err) {
    for (struct stat info;; close(file->fd)) {
        file->fd = open(file->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
        if (file->fd < 0) return cannot_write(file->path, err);
        if (fstat(file->fd, &info)) return cannot_write(file->path, err);
        if (!S_ISREG(info.st_mode)) return err_set(err, file->path, 0, "is not a regular file");
        if (lock(file->fd, file->path, warning, err)) return -1;
        if (fstat(file->fd, &info)) return cannot_write(file->path, err);
        file->size = (size_t)info.st_size;
        if (info.st_nlink > 0) return sync_directory(file->path, err);
    }
}

/* Removes what a failed write has left. Returns 0, or -1 with errno set. */
static int cut_back(CorrectionFile *file) {
    file->torn = ftruncate(file->fd, (off_t)file->size) != 0;
    return file->torn ? -1 : 0;
}

static int write_bytes(int fd, const char *bytes, size_t n) {
    while (n > 0) {
        const ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno != EINTR) return -1;
        if (written < 0) continue;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

/* Appends n bytes and puts them on the disk. Returns 0, or -1 with *err filled; then the file is as it was before. */
static int append(CorrectionFile *file, const char *bytes, size_t n, Err *err) {
    struct stat info;
    if (fstat(file->fd, &info)) return cannot_write(file->path, err);
    if (info.st_nlink == 0) return err_set(err, file->path, 0, "was removed or replaced while it was in use");
    if (file->torn && cut_back(file)) return cannot_write(file->path, err);
    if (!write_bytes(file->fd, bytes, n) && !fsync(file->fd)) {
        file->size += n;
        return 0;
    }
    cannot_write(file->path, err);
    (void)!cut_back(file); /* append tries again */
    return -1;
}

/* Cuts off an incomplete last line, or adds the newline that the last line lacks. */
static int repair_end(CorrectionFile *file, const Entries *entries, Err *warning, Err *err) {
    const size_t rest = file->size - entries->size;
    file->size = entries->size;
    if (entries->open_end) return append(file, "\n", 1, err);
    if (rest == 0) return 0;
    err_set(warning, file->path, 0, "an incomplete last line of %zu bytes was cut off", rest);
    return cut_back(file) || fsync(file->fd) ? cannot_write(file->path, err) : 0;
}

/* Opens the file, reads it and repairs its end. Sets *deleted to the number of deleted entries with texts in the file.
   Returns 0, or -1 with *err filled. */
static int load(CorrectionFile *file, int *deleted, Err *warning, Err *err) {
    Entries entries;
    if (open_locked(file, warning, err)) return -1;
    char *bytes = mem_alloc(file->size + 1);
    bytes[file->size] = '\0';
    int status = -1;
    if (file_read_at(file->fd, bytes, file->size, 0))
        err_set(err, file->path, 0, "%s", errno ? strerror(errno) : "ends too early");
    else status = read_entries(&entries, bytes, file->size, deleted, file->path, err);
    mem_free(bytes);
    if (status) return -1;
    file->all = entries.all;
    file->last_id = entries.last_id;
    for (ptrdiff_t i = 0; i < arrlen(file->all); i++) arrput(file->keys, key_of(&file->all[i]));
    return repair_end(file, &entries, warning, err);
}

/* Closes what load opened. */
static void unload(CorrectionFile *file) {
    if (file->fd >= 0) close(file->fd);
    corrections_free(file->all);
    strings_free(file->keys);
    file->fd = -1;
    file->all = NULL;
    file->keys = NULL;
}

/* Replaces the file by one without deleted entries. Returns 0, or -1 with *err filled. */
static int rewrite(const CorrectionFile *file, Err *err) {
    OutputFile output;
    const ptrdiff_t n = arrlen(file->all);
    if (output_open(&output, file->path, err)) return -1;
    for (ptrdiff_t i = 0; i < n; i++) correction_write(output.stream, &file->all[i]);
    if (n == 0 || file->all[n - 1].id < file->last_id) fprintf(output.stream, "{\"deleted\":%ld}\n", file->last_id);
    return output_commit(&output, err);
}

/* The new file is not locked, so it is opened as any other one. */
static int load_tidy(CorrectionFile *file, Err *warning, Err *err) {
    Err why;
    int deleted;
    if (make_directory(file->path, err) || load(file, &deleted, warning, err)) return -1;
    if (deleted == 0) return 0;
    if (!rewrite(file, &why)) {
        unload(file);
        return load(file, &deleted, warning, err);
    }
    err_set(warning, file->path, 0, "still has the texts of deleted corrections: %s", why.reason);
    return 0;
}

CorrectionFile *corrections_open(const char *path, size_t most_bytes, Err *warning, Err *err) {
    CorrectionFile *file = mem_alloc(sizeof *file);
    *file = (CorrectionFile){.path = mem_strdup(path), .fd = -1, .most_bytes = most_bytes};
    warning->reason[0] = '\0';
    if (!load_tidy(file, warning, err)) return file;
    corrections_close(file);
    return NULL;
}

void corrections_close(CorrectionFile *file) {
    if (!file) return;
    unload(file);
    mem_free(file->path);
    mem_free(file);
}

const Correction *corrections_all(const CorrectionFile *file, int *n) {
    *n = (int)arrlen(file->all);
    return file->all;
}

size_t corrections_size(const CorrectionFile *file) { return file->size; }

/* The last entry with a key; NULL: there is none. */
static const Correction *find_current(const CorrectionFile *file, const char *key) {
    for (ptrdiff_t i = arrlen(file->all) - 1; i >= 0; i--)
        if (!strcmp(file->keys[i], key)) return &file->all[i];
    return NULL;
}

static char *copy_trimmed(const char *text) {
    size_t n;
    text = trim(text, &n);
    return mem_strndup(text, n);
}

/* A copy of a correction that was checked, with an id. */
static Correction copy_entry(const Correction *c, long id) {
    return (Correction){
        .id = id,
        .time = c->time ? mem_strdup(c->time) : time_now(),
        .model = copy_trimmed(c->model),
        .langs = {mem_strdup(c->langs[0]), mem_strdup(c->langs[1])},
        .source = copy_trimmed(c->source),
        .translation = c->translation ? copy_trimmed(c->translation) : NULL,
        .correction = copy_trimmed(c->correction),
    };
}

/* Appends the line of an entry, if there is room for it. */
static int append_entry(CorrectionFile *file, const Correction *entry, Err *err) {
    MemoryFile memory;
    size_t n;
    correction_write(memory_open(&memory), entry);
    char *line = memory_close(&memory, &n);
    const int status =
        n > file->most_bytes || file->size > file->most_bytes - n
            ? err_set(err, file->path, 0, "is full: it may have %zu bytes, and has %zu", file->most_bytes, file->size)
            : append(file, line, n, err);
    mem_free(line);
    return status;
}

int corrections_add(CorrectionFile *file, const Correction *correction, long *id, Err *err) {
    if (correction_check(correction, err)) return -1;
    if (file->last_id == MOST_ID) return err_set(err, file->path, 0, "has had %d corrections", MOST_ID);
    Correction entry = copy_entry(correction, file->last_id + 1);
    char *key = key_of(&entry);
    const Correction *same = find_current(file, key);
    if (same && !strcmp(same->correction, entry.correction)) {
        *id = same->id;
        clear(&entry);
        mem_free(key);
        return 0;
    }
    /* memory first: after the line is on the disk, nothing may fail */
    arrsetcap(file->all, arrlenu(file->all) + 1);
    arrsetcap(file->keys, arrlenu(file->keys) + 1);
    if (append_entry(file, &entry, err)) {
        clear(&entry);
        mem_free(key);
        return -1;
    }
    arrput(file->all, entry);
    arrput(file->keys, key);
    *id = file->last_id = entry.id;
    return 0;
}

int corrections_delete(CorrectionFile *file, long id, Err *err) {
    char line[96];
    const int found = find(file->all, id);
    if (found < 0) {
        err_set(err, file->path, 0, "has no correction %ld", id);
        return 1;
    }
    char *time = time_now();
    const int n = snprintf(line, sizeof line, "{\"deleted\":%ld,\"time\":\"%s\"}\n", id, time);
    mem_free(time);
    if (append(file, line, (size_t)n, err)) return -1;
    const size_t i = (size_t)found;
    clear(&file->all[i]);
    arrdel(file->all, i);
    mem_free(file->keys[i]);
    arrdel(file->keys, i);
    return 0;
}
