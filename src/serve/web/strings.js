// All texts of the live page, in English and Chinese. The browser's language chooses.
const texts = {
  en: {
    subtitle: "translation and alignment while you type",
    input: "Text to translate",
    placeholder: "Type or paste a sentence",
    examples: "Examples",
    model: "Model",
    compare: "beside",
    alone: "no other model",
    byWord: "By word",
    byWordHelp: "show words instead of pieces",
    byCharacter: "Chinese by character, because it has no spaces",
    layer: "Layer",
    head: "Head",
    lastLayer: "last",
    allHeads: "mean of all",
    key: "API key",
    link: "Copy link",
    linkHelp: "copy the address of this page with the text in it",
    help: "Keys",
    training: "Training",
    trainingHelp: "the report of the model's training",
    source: "source",
    target: "translation",
    sentences: "translations",
    matrix: (text) => `alignment of ${text}`,
    nbest: "Hypotheses",
    nbestHelp: "show this hypothesis",
    score: (score) => `score ${score}`,
    copy: "Copy",
    copyText: "text",
    copyPharaoh: "Pharaoh",
    copyJson: "JSON",
    copySvg: "SVG",
    legend: "attention weight α",
    copied: "copied",
    notCopied: "the browser does not let pages copy",
    hint: "Point at a word, or tap it, to see where it was read from. Click a translated word to change it.",
    noAlignment: "This model has no alignment.",
    candidates: (word) => `In place of "${word}"`,
    candidate: (text, percent) => `${text}, ${percent}`,
    end: "end of sentence",
    quoted: (words) => `"${words}"`,
    forced: (words) => `You chose ${words}.`,
    undo: "Undo",
    undoHelp: "take back the last choice",
    differs: "differs from the other model",
    announced: (text) => `Translation: ${text}`,
    close: "Close",
    errors: {
      busy: "The server is busy. The page tries again in a moment.",
      stopping: "The server stops or has no room now. Try again in a moment.",
      unreachable: "The server does not answer. Is tide serve still running?",
      key: "This server needs an API key.",
      long: "The text is too long for this server. Remove a part of it.",
      refused: "The server refuses this request.",
      noModels: "The server has no models.",
    },
    keys: [
      ["Tab", "from the text to the source, to the translation, and on to the matrix"],
      ["← →", "in a sentence: previous word, next word; in the matrix: one cell left, right"],
      ["↑ ↓", "in the matrix: one row up, down; in a list of candidates: previous, next"],
      ["Enter", "on a translated word: the candidates of its place; on a candidate: take it and continue from there"],
      ["u", "on a word or in the matrix: take back the last choice"],
      ["w", "on a word or in the matrix: show words or pieces"],
      ["Esc", "close the candidates; back to the text"],
    ],
  },
  zh: {
    subtitle: "边输入，边看译文和对齐",
    input: "要翻译的文字",
    placeholder: "输入或粘贴一个句子",
    examples: "例句",
    model: "模型",
    compare: "并列",
    alone: "不比较",
    byWord: "按词",
    byWordHelp: "按词显示，而不是按子词",
    byCharacter: "中文没有空格，所以按字显示",
    layer: "层",
    head: "头",
    lastLayer: "最后一层",
    allHeads: "全部平均",
    key: "API 密钥",
    link: "复制链接",
    linkHelp: "复制包含这段文字的网址",
    help: "按键",
    training: "训练",
    trainingHelp: "这个模型的训练报告",
    source: "原文",
    target: "译文",
    sentences: "译文",
    matrix: (text) => `“${text}”的对齐`,
    nbest: "假设",
    nbestHelp: "显示这个假设",
    score: (score) => `得分 ${score}`,
    copy: "复制",
    copyText: "文字",
    copyPharaoh: "Pharaoh",
    copyJson: "JSON",
    copySvg: "SVG",
    legend: "注意力权重 α",
    copied: "已复制",
    notCopied: "浏览器不允许网页复制",
    hint: "指向或点按一个词，看它读自原文何处；点击译文中的词，可以换掉它。",
    noAlignment: "这个模型没有对齐。",
    candidates: (word) => `代替“${word}”`,
    candidate: (text, percent) => `${text}，${percent}`,
    end: "句子结束",
    quoted: (words) => `“${words}”`,
    forced: (words) => `您选择了${words}。`,
    undo: "撤销",
    undoHelp: "撤销上一次选择",
    differs: "与另一个模型不同",
    announced: (text) => `译文：${text}`,
    close: "关闭",
    errors: {
      busy: "服务器正忙，页面稍后会再试。",
      stopping: "服务器正在停止或暂时没有余力，请稍后再试。",
      unreachable: "服务器没有回应。tide serve 还在运行吗？",
      key: "这个服务器需要 API 密钥。",
      long: "文字对这个服务器来说太长，请删去一部分。",
      refused: "服务器拒绝了这个请求。",
      noModels: "服务器没有模型。",
    },
    keys: [
      ["Tab", "从输入框到原文、译文，再到矩阵"],
      ["← →", "在句子中：上一个词、下一个词；在矩阵中：左一格、右一格"],
      ["↑ ↓", "在矩阵中：上一行、下一行；在候选列表中：上一个、下一个"],
      ["Enter", "在译文的词上：显示这个位置的候选；在候选上：选用它并从此处继续"],
      ["u", "在词上或矩阵中：撤销上一次选择"],
      ["w", "在词上或矩阵中：按词或按子词显示"],
      ["Esc", "关闭候选；回到输入框"],
    ],
    wording: {
      readFrom: (target, list) => `“${target}”读自：${list}`,
      readFor: (source, list) => `“${source}”用于：${list}`,
      weight: (target, source, weight) => `“${target}”读自“${source}”：${weight}`,
      nothing: "无",
      rest: (n) => `另有 ${n} 个权重较小`,
      alignment: "对齐",
    },
  },
};

const language = navigator.languages.map((tag) => tag.slice(0, 2)).find((code) => code in texts) ?? "en";
const text = texts[language];
Object.assign(wording, text.wording);
document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";

/** The sentences to try, by the language of the source. */
const examples = {
  zh: ["潮水退了，才知道谁没穿裤子。", "昨天下雨，我没有去海边。", "如果明天不下雨，我们就去海边。"],
  en: ["When the tide goes out, we know who is not wearing pants.", "It rained yesterday, and I did not go to the beach."],
};

/** The line that says why a translator failed, for append: in the page's language, and what tide says, which is English.
 * Throws what is not a failure of a translator. */
function failureLine(problem) {
  const { kind, detail } = problem, line = text.errors[kind];
  if (!line) throw problem;
  return detail && ["refused", "broken"].includes(kind) ? [line, " ", make("small", { lang: "en" }, detail)] : [line];
}

/** Fills the elements of the markup that name a text: its content, aria-label, title or placeholder. */
function fillTexts() {
  const places = { text: "textContent", label: "ariaLabel", help: "title", placeholder: "placeholder" };
  for (const [name, property] of Object.entries(places))
    for (const element of document.querySelectorAll(`[data-${name}]`)) element[property] = text[element.dataset[name]];
}
