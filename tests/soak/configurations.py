"""usage: configurations.py TIDE FOLDER SEED TRAININGS LIMIT SET...  (configurations.sh says what it does)"""
import csv
import filecmp
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

TIDE, FOLDER, SEED, TRAININGS, LIMIT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
SETS = sys.argv[6:]
# Flags that say where and how fast, or that change a training on purpose; other tests have them.
OTHERS = "model log quiet threads isa preset config no-reload allow-change rank-timeout pretrained-model pretrained-share "\
         "train-set-distillation after-minutes".split()


def corpora() -> dict[str, str]:
    """Writes the training text in every form; returns the flags of each form."""
    with open("corpus/train.tsv", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t")[:2] for line in file][:160]
    path = {name: f"{FOLDER}/{name}" for name in ("small.tsv", "en", "zh", "po", "mo", "tmx", "links", "dev.en", "dev.zh",
                                               "csv", "jsonl")}
    with open(path["small.tsv"], "w", encoding="utf-8") as file:
        file.writelines(f"{en}\t{zh}\n" for en, zh in lines[:80])
    with open(f"{FOLDER}/small.dev", "w", encoding="utf-8") as file:
        file.writelines(f"{en}\t{zh}\n" for en, zh in lines[:4])
    for name, some, side in (("en", lines, 0), ("zh", lines, 1), ("dev.en", lines[:4], 0), ("dev.zh", lines[:4], 1)):
        with open(path[name], "w", encoding="utf-8") as file:
            file.writelines(pair[side] + "\n" for pair in some)
    with open(path["links"], "w", encoding="utf-8") as file:
        file.writelines("0-0 1-1\n" for _ in lines)
    unique = dict(lines[80:])
    with open(path["po"], "w", encoding="utf-8") as file:
        file.write('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n')
        for en, zh in unique.items():
            en, zh = (text.replace("\\", "\\\\").replace('"', '\\"') for text in (en, zh))
            file.write(f'\nmsgid "{en}"\nmsgstr "{zh}"\n')
    with open(path["tmx"], "w", encoding="utf-8") as file:
        file.write('<tmx version="1.4"><header srclang="en"/><body>\n')
        for pair in lines[80:]:
            en, zh = (text.replace("&", "&amp;").replace("<", "&lt;") for text in pair)
            file.write(f'<tu><tuv xml:lang="en"><seg>{en}</seg></tuv><tuv xml:lang="zh"><seg>{zh}</seg></tuv></tu>\n')
        file.write("</body></tmx>\n")
    with open(path["csv"], "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("en", "zh", "id"), *((en, zh, i) for i, (en, zh) in enumerate(lines))])
    with open(path["jsonl"], "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"translation": {"en": en, "zh": zh}}) + "\n" for en, zh in lines)
    flags = {"tsv": f"--tsv {path['small.tsv']}", "train-sets": f"--train-sets {path['zh']} {path['en']}",
             "tmx": f"--tmx {path['tmx']}", "csv": f"--csv {path['csv']}", "jsonl": f"--jsonl {path['jsonl']}"}
    if shutil.which("msgfmt"):
        subprocess.run(["msgfmt", "-o", path["mo"], path["po"]], check=True)
        flags |= {"po": f"--po {path['po']}", "mo": f"--mo {path['mo']}"}
    return flags


def draw(rng: random.Random, corpus: dict[str, str]) -> list[str]:
    """The flags of a training."""
    flags: list[str] = []

    def often(share: float) -> bool:
        return rng.random() < share

    def add(name: str, *values: object) -> None:
        flags.extend([f"--{name}", *map(str, values)])

    def maybe(share: float, name: str, *values: object) -> None:
        if often(share):
            add(name, rng.choice(values))

    chosen = [name for name in corpus if often(0.2)] or [rng.choice(("tsv", "train-sets"))]
    for name in chosen:
        flags.extend(corpus[name].split())
    count = len(chosen)
    if often(0.3):
        add("train-set-weights", *(rng.choice((0.5, 1, 2)) for _ in range(count)))
    if often(0.3):
        add("train-set-tags", *(rng.choice(("-", "news", "web")) for _ in range(count)))
    if often(0.2):
        add("train-set-noise", *(rng.choice(("on", "off")) for _ in range(count)))
    if often(0.1):
        add("train-set-teachers", *(rng.choice(("-", f"{FOLDER}/any")) for _ in range(count)))
    valid = rng.choice((("valid-tsv", f"{FOLDER}/small.dev"), ("valid-sets", f"{FOLDER}/dev.zh", f"{FOLDER}/dev.en"),
                        ("valid-csv", f"{FOLDER}/csv"), ("valid-jsonl", f"{FOLDER}/jsonl")))
    if often(0.8):
        add(*valid)
    if {"--tsv", "--csv", "--valid-tsv", "--valid-csv"} & set(flags) and often(0.2):
        add("columns", 2, 1)
    attends = True
    if often(0.3):
        add("arch", "transformer")
        add("dec-depth", rng.choice((1, 2)))
    else:
        maybe(0.7, "encoder", "bigru", "deep-bigru", "gru", "cnn", "self-attention")
        kind = rng.choice(("additive", "coverage", "dot", "general", "scaled-dot", "multi-head", "none"))
        attends = kind != "none"
        add("attention", kind)
        maybe(0.3, "readout-state", "prev")
        maybe(0.4, "dec-cell-base-depth", 1, 2)
    add("dim-emb", 8)
    add("dim-rnn", rng.choice((8, 16)))
    add("dim-att", rng.choice((8, 12)))
    add("dim-ffn", rng.choice((8, 20)))
    add("heads", rng.choice((1, 2, 4)))
    maybe(0.5, "enc-depth", 1, 2, 3)
    maybe(0.3, "window", 1, 3, 5)
    add("dim-maxout", 8 if often(0.4) else 10)
    maybe(0.3, "tied-embeddings", "on", "off")
    if often(0.3):
        add("tokenizer", rng.choice(("char", "bpe", "none")), rng.choice(("bpe", "none", "char")))
    add("bpe-merges", rng.choice((20, 80)), rng.choice((20, 80)))
    maybe(0.15, "merges", "joint", "separate")
    maybe(0.2, "source-words", "on", "off")
    if often(0.2):
        add("dim-vocabs", rng.choice((0, 60)), rng.choice((0, 60)))
    if often(0.1):
        add("langs", *rng.choice((("zh", "en"), ("zho", "eng"))))
    maybe(0.3, "init", "lecun", "bahdanau")
    maybe(0.4, "optimizer", "adam", "adadelta", "sgd")
    maybe(0.7, "learn-rate", 0.001, 0.01, 0.3, 3)
    maybe(0.3, "lr-decay", 0.5, 0.9)
    maybe(0.2, "lr-decay-start", 1, 2)
    maybe(0.3, "lr-warmup", 5, 20)
    maybe(0.3, "lr-decay-inv-sqrt", 4, 20)
    maybe(0.3, "clip-norm", 0, 0.1, 5)
    maybe(0.4, "exponential-smoothing", 0.1, 0.01)
    maybe(0.2, "averaging-eta", 0, 1, 20)
    for name in ("label-smoothing", "dropout-emb", "dropout-annotation", "dropout-readout"):
        maybe(0.3, name, 0.1, 0.5)
    for name in ("noise-drop", "noise-blank"):
        maybe(0.2, name, 0.1)
    maybe(0.2, "noise-swap", 1, 3)
    if attends and chosen == ["train-sets"] and often(0.5):
        add("guided-alignment", f"{FOLDER}/links")
        maybe(0.6, "guided-alignment-cost", "ce", "mult", "mse")
        maybe(0.4, "guided-alignment-weight", 0.5)
        maybe(0.4, "guided-alignment-null", "on", "off")
    add("mini-batch", rng.choice((4, 16, 33, 64)))
    maybe(0.3, "maxi-batch", 1, 3)
    maybe(0.3, "max-length", 0, 12)
    maybe(0.3, "workspace", 1, 4)
    maybe(0.3, "shards", 2, 4, 8)
    maybe(0.3, "precision", "bfloat16")
    maybe(0.5, "seed", rng.randrange(1000))
    add("after-batches", rng.choice((6, 12, 20)))
    maybe(0.2, "after-epochs", 0.5, 2)
    maybe(0.3, "early-stopping", 0, 1, 3)
    if often(0.3):
        add("valid-metrics", *rng.sample(("bleu", "chrf", "ce-mean-words", "perplexity"), rng.choice((1, 2, 4))))
    maybe(0.6, "valid-freq", 1, 5, 8)
    maybe(0.5, "save-freq", 0, 1, 7)  # the default is often: a training then ends before its first one
    maybe(0.6, "disp-freq", 1, 4)
    maybe(0.3, "beam-size", 1, 3)
    maybe(0.2, "normalize", 0, 1)
    maybe(0.2, "word-penalty", -0.5, 0.5)
    if often(0.3):
        add("probe", "潮水退了。", "大家好。")
    for name in ("title", "corpora", "licence"):
        maybe(0.1, name, "a text")
    return flags


def train(model: str, flags: list[str], how: list[str], after: float | None = None,
          signal_number: int = 0) -> tuple[int, str]:
    """Trains; after so many seconds sends the signal. Returns the exit status and standard error."""
    command = [TIDE, "train", "--model", model, *flags, *how]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            _, text = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal_number)
            _, text = process.communicate()
    return process.returncode, text


def log_of(model: str) -> list[str]:
    with open(f"{model}/train.jsonl", encoding="utf-8") as file:
        return [re.sub(r'"(tokens_per_s|seconds)": [0-9.]*', "", line) for line in file]


def files_of(model: str) -> list[str]:
    found = [os.path.relpath(f"{place}/{name}", model) for place, _, names in os.walk(model) for name in names]
    return sorted(set(found) - {"checkpoint.prev.safetensors"})  # a stop writes another one


def compare(whole: str, broken: str) -> str:
    """The first difference; "": none."""
    if files_of(whole) != files_of(broken):
        return f"other files: {set(files_of(whole)) ^ set(files_of(broken))}"
    if log_of(whole) != log_of(broken):
        return "other logs"
    same = [name for name in files_of(whole) if name not in ("train.jsonl", "report.html")]
    for name in same:
        if not filecmp.cmp(f"{whole}/{name}", f"{broken}/{name}", shallow=False):
            return f"{name} differs"
    return ""


def one_line(text: str) -> bool:
    return sum(line.startswith("tide: ") for line in text.splitlines()) == 1


def check(rng: random.Random, flags: list[str], sets: list[str]) -> tuple[str, int, bool]:
    """Returns what is wrong ("": nothing), the number of stops, and whether the flags were refused."""
    whole, broken = f"{FOLDER}/whole", f"{FOLDER}/broken"
    for model in (whole, broken):
        shutil.rmtree(model, ignore_errors=True)
    began = time.monotonic()
    status, text = train(whole, flags, ["--threads", "1", "--isa", "portable"])
    seconds = time.monotonic() - began
    if status not in (0, 1, 2) or (status and not one_line(text)):
        return f"exit {status}: {text}", 0, False
    stops = 0
    for attempt in range(6):
        how = ["--threads", str(rng.choice((2, 3))), "--isa", rng.choice(sets)]
        number = rng.choice((signal.SIGKILL, signal.SIGINT))
        last = attempt == 5
        got, text = train(broken, flags, how, None if last else seconds * 1.3 * rng.random(), number)
        if got == status and (got == 0 or one_line(text)):
            break
        if last or got not in (-signal.SIGKILL, -signal.SIGINT, 128 + signal.SIGINT):
            return f"exit {got}, not {status}, after {stops} stops: {text}", stops, False
        stops += 1
    return "" if status else compare(whole, broken), stops, status != 0


def main() -> None:
    corpus = corpora()
    drawn = [word[2:] for seed in range(300) for word in draw(random.Random(seed), corpus) if word.startswith("--")]
    text = subprocess.run([TIDE, "train", "--help-all"], capture_output=True, text=True, check=True).stdout
    missing = set(re.findall(r"^  (?:-., )?--([a-z-]+)", text, re.MULTILINE)) - set(drawn) - set(OTHERS)
    missing -= {"help", "help-all", "po", "mo"}  # the last two need msgfmt
    if missing:
        sys.exit(f"FAILED: tests/soak/configurations.py draws no --{', --'.join(sorted(missing))}")
    end, all_stops, refused, done = time.monotonic() + LIMIT, 0, 0, 0
    while done < TRAININGS and time.monotonic() < end:
        rng = random.Random(SEED + done)
        flags = draw(rng, corpus)
        wrong, stops, was_refused = check(rng, flags, SETS)
        if wrong:
            print(f"FAILED: SEED={SEED + done} TRAININGS=1: {wrong}\ntide train {' '.join(flags)}", file=sys.stderr)
            sys.exit(1)
        done, all_stops, refused = done + 1, all_stops + stops, refused + was_refused
    print(f"SEED={SEED}: {done} trainings, {all_stops} stops, {refused} refused")
    if refused > done / 2:
        sys.exit("FAILED: most flags were refused: the generator draws nonsense")


main()
