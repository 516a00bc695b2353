// All texts of the live page, in English and Chinese.
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
    byCharacter: "Chinese by character, because it has no spaces",
    layer: "Layer",
    head: "Head",
    lastLayer: "last",
    allHeads: "mean of all",
    rowScale: "Scale rows",
    rowScaleHelp: "colours relative to the largest weight of each row",
    ofRow: "100% of the row's largest",
    probabilities: "Probabilities",
    curves: "Curves",
    curvesHelp: "lines between the words of both sentences, as thick as the weights",
    curved: (name) => `${name}, as curves`,
    pinyin: "Pinyin",
    pinyinHelp: "readings above Chinese characters, from a dictionary; a slash separates several readings",
    likely: (share) => `probability ${share} · `,
    unlikely: "Less probable than all candidates that are listed · ",
    view: "Matrices",
    views: { one: "one", heads: "all layers and heads", hypotheses: "of all hypotheses", difference: "difference of the models" },
    viewOne: "show this one alone",
    step: {
      open: "Open a step",
      help: "the numbers from which a word of the translation came",
      before: "the piece before",
      after: "the next piece",
      attention: "attention",
      nameOf: (layer, isOwn) => `layer ${layer}: ${isOwn ? "translation" : "source"}`,
      title: (step, word) => `Step ${step}: how "${word}" was chosen`,
      numbers: (count, low, high) => `${count} numbers from ${low} to ${high}`,
      file: (name) => `Computed in ${name}.`,
      previous: "The piece that was written before; the first step reads <s>, the start.",
      state: "The state of the decoder before this step; the first state is made from the source.",
      read: "The state after the decoder has also read yᵢ₋₁, the piece that it wrote last: the query, with which the attention " +
        "searches.",
      query: (name) => (name ? `the query ${name}` : "the query of this layer"),
      weights: (query, hasState) => `The attention compares each ${hasState ? "annotation hⱼ, the encoder's state at piece j," : "piece"} ` +
        `with ${query} and gives it a score e. Softmax makes weights α of the scores; they add up to 100%. (The matrix may ` +
        "differ by 1%: the search rounds in other places.)",
      coverage: (query) => "β is the sum of a piece's weights in the steps before. " + text.step.weights(`${query} and β`, true),
      context: "The context is the sum of all annotations h, each times its weight α. Below are those with the largest α, not yet " +
        "multiplied, and the sum: a strip is a vector, blue above 0, brown below.",
      contextHead: "This head's context is the sum of all values v, each times its weight α; the head makes a value of each " +
        "piece. Below are those with the largest α, not yet multiplied, and the sum: a strip is a vector, blue above 0, " +
        "brown below.",
      contextNone: "The context: without attention, it is the same at each step.",
      newState: (isConditional) => `The new state: computed from ${isConditional ? "s′ᵢ" : "sᵢ₋₁, the piece before"} and cᵢ.`,
      output: "The result of the last layer, from which the probabilities are computed.",
      next: (hasState) => `The most probable pieces at this place, computed from ${hasState ? "yᵢ₋₁, sᵢ and cᵢ" : "tᵢ"}. The one ` +
        "that was written is marked.",
    },
    tree: {
      open: "Search tree",
      help: "what the search considered at each step, and what it pruned",
      sentence:
        "At each step the search adds the most probable pieces to each hypothesis. The best of the results stay, and it prunes " +
        "the others. The numbers are the sums of log probabilities, by which it compares them.",
      kept: "in the beam",
      pruned: "pruned",
      shown: "the translation",
      hint: "Point at a piece, or tap it, for its numbers. Click it, or tap it twice, to begin the translation with all pieces up to it.",
      node: (piece, log, share, total) => `"${piece}": log probability ${log} (${share}), in sum ${total}; `,
      stays: "stays in the beam",
      goes: "pruned",
      ends: (score, isBest) => `ends a hypothesis with score ${score}${isBest ? ", the best one" : ""}`,
    },
    minus: (model, other) => `${model} − ${other}`,
    difference: (target, source, weight) => `difference of "${target}" and ${source}: ${weight}`,
    notComparable: "The models read different sentences here.",
    key: "API key",
    projector: "Projector",
    projectorHelp: "large, without </s> and without the controls; Esc leaves it",
    withoutEnd: ", without </s>: rows may add up to less than 100%",
    teachers: "A question for the class",
    question: "Question",
    questionHelp: "for example: where is “pants” read from?",
    guess: "Choose the word of the source that you mean: then the alignment appears.",
    answered: (word) => `You chose "${word}". `,
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
    scores: "score",
    score: (score) => `score ${score}`,
    copy: "Copy",
    copyText: "text",
    copyPharaoh: "Pharaoh",
    copyJson: "JSON",
    copySvg: "SVG",
    copyPng: "PNG",
    saved: "saved as alignment.png, because the browser does not let pages copy pictures",
    legend: "attention weight α",
    legendDifference: "difference of attention weights",
    legendByRow: "share of the row's largest weight",
    copied: "copied",
    notCopied: "the browser does not let pages copy",
    hint: "Point at a word, or tap it, to see where it was read from. Click a translated word to change it.",
    noAlignment: "This model has no alignment.",
    lesson: "This is an example. The model writes its translation from left to right. Each row of the matrix belongs to one of its " +
      "words: the stronger a colour, the more the model attends to that source word while it writes. Type, and your sentence " +
      "takes its place.",
    clearest: (target, source, weight) => `In the row of "${target}", ${source} has the largest weight: ${weight}.`,
    candidates: (word) => `In place of "${word}"`,
    candidate: (text, percent) => `${text}, ${percent}`,
    probability: "probability",
    end: "end of sentence",
    quoted: (words) => `"${words}"`,
    forced: (words) => `You chose: ${words}`,
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
      ["r", "on a word or in the matrix: colours relative to the largest weight of each row"],
      ["e", "on a word or in the matrix: open the step that wrote the word, with its numbers"],
      ["t", "on a word or in the matrix: open the tree of the search, in which arrows go from piece to piece"],
      ["p", "on a word or in the matrix: a bar below each translated word shows its probability"],
      ["c", "on a word or in the matrix: curves between the words of both sentences"],
      ["y", "on a word or in the matrix: pinyin above Chinese characters, if the server has a dictionary"],
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
    byCharacter: "中文没有空格，所以按字显示",
    layer: "层",
    head: "头",
    lastLayer: "最后一层",
    allHeads: "全部平均",
    rowScale: "按行着色",
    rowScaleHelp: "每一行按该行的最大权重着色",
    ofRow: "该行最大值的 100%",
    probabilities: "概率",
    curves: "连线",
    curvesHelp: "用曲线连接两个句子的词，线越粗，权重越大",
    curved: (name) => `${name}，画成曲线`,
    pinyin: "拼音",
    pinyinHelp: "在汉字上方显示词典中的读音；几个读音以斜线分开",
    likely: (share) => `概率 ${share} · `,
    unlikely: "概率低于列出的所有候选 · ",
    view: "矩阵",
    views: { one: "一个", heads: "全部层和头", hypotheses: "全部假设", difference: "两个模型之差" },
    viewOne: "只看这一个",
    step: {
      open: "展开一步",
      help: "写出译文的这个词时用到的各个数",
      before: "前一个子词",
      after: "后一个子词",
      attention: "注意力",
      nameOf: (layer, isOwn) => `第 ${layer} 层：${isOwn ? "译文" : "原文"}`,
      title: (step, word) => `第 ${step} 步：怎样选出“${word}”`,
      numbers: (count, low, high) => `${count} 个数，从 ${low} 到 ${high}`,
      file: (name) => `代码：${name}`,
      previous: "前面写出的子词；第一步读的是开始符 <s>。",
      state: "这一步之前解码器的状态；最初的状态由原文得出。",
      read: "解码器又读了 yᵢ₋₁（刚写出的子词）之后的状态，也就是查询：注意力用它去找。",
      query: (name) => (name ? `查询 ${name}` : "这一层的查询"),
      weights: (query, hasState) => `注意力把每个${hasState ? "标注 hⱼ（编码器在子词 j 处的状态）" : "子词"}与${query} 比较，给出分数 e；` +
        "softmax 把这些分数变成权重 α，总和是 100%。（矩阵里可能相差 1%，因为搜索时舍入的地方不同。）",
      coverage: (query) => "β 是一个子词在前面各步的权重之和。" + text.step.weights(`${query} 和 β`, true),
      context: "上下文是所有标注 h 乘以自己的权重 α 之后的和。下面是 α 最大的几个标注（未乘权重），最后是总和。" +
        "色带表示一个向量：蓝色大于 0，褐色小于 0。",
      contextHead: "这个头的上下文是所有值 v 乘以自己的权重 α 之后的和；值由这个头从每个子词算出。下面是 α 最大的几个值（未乘权重），" +
        "最后是总和。色带表示一个向量：蓝色大于 0，褐色小于 0。",
      contextNone: "上下文：没有注意力时，它在每一步都相同。",
      newState: (isConditional) => `新的状态：由 ${isConditional ? "s′ᵢ " : "sᵢ₋₁、前一个子词"}和 cᵢ 算出。`,
      output: "最后一层的结果，概率由它算出。",
      next: (hasState) => `这个位置最可能的子词，由 ${hasState ? "yᵢ₋₁、sᵢ 和 cᵢ" : "tᵢ"} 算出；写出的那一个已标出。`,
    },
    tree: {
      open: "搜索树",
      help: "搜索在每一步考虑了什么，剪掉了什么",
      sentence: "每一步，搜索给每个假设接上最可能的子词；其中最好的留下，其余的剪掉。数是对数概率之和，搜索用它来比较。",
      kept: "在束中",
      pruned: "剪掉",
      shown: "译文",
      hint: "指向一个子词，看它的数；点击（或再点按一次），译文就以到它为止的子词开头。",
      node: (piece, log, share, total) => `“${piece}”：对数概率 ${log}（${share}），总和 ${total}；`,
      stays: "留在束中",
      goes: "被剪掉",
      ends: (score, isBest) => `一个假设到此结束，得分 ${score}${isBest ? "，是最好的" : ""}`,
    },
    minus: (model, other) => `${model} − ${other}`,
    difference: (target, source, weight) => `“${target}”与“${source}”之差：${weight}`,
    notComparable: "两个模型在这里读到的句子不同。",
    key: "API 密钥",
    projector: "投影",
    projectorHelp: "大字，没有 </s>，也没有控件；按 Esc 退出",
    withoutEnd: "，不含 </s>：一行之和可能小于 100%",
    teachers: "课堂提问",
    question: "问题",
    questionHelp: "例如：“pants”读自哪里？",
    guess: "请点选您认为的那个原文词，点了就会显示对齐。",
    answered: (word) => `您选了“${word}”。`,
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
    scores: "得分",
    score: (score) => `得分 ${score}`,
    copy: "复制",
    copyText: "文字",
    copyPharaoh: "Pharaoh",
    copyJson: "JSON",
    copySvg: "SVG",
    copyPng: "PNG",
    saved: "浏览器不允许网页复制图片，已存为 alignment.png",
    legend: "注意力权重 α",
    legendDifference: "注意力权重之差",
    legendByRow: "占该行最大权重的比例",
    copied: "已复制",
    notCopied: "浏览器不允许网页复制",
    hint: "指向或点按一个词，看它读自原文何处；点击译文中的词，可以换掉它。",
    noAlignment: "这个模型没有对齐。",
    lesson: "这是一个例句。模型从左到右写出译文：矩阵的每一行对应译文的一个词。颜色越深，写这个词时模型从那个原文字读取的就越多。直接输入，就能换成您自己的句子。",
    clearest: (target, source, weight) => `在“${target}”这一行，“${source}”的权重最大：${weight}。`,
    candidates: (word) => `代替“${word}”`,
    candidate: (text, percent) => `${text}，${percent}`,
    probability: "概率",
    end: "句子结束",
    quoted: (words) => `“${words}”`,
    forced: (words) => `您选择了：${words}`,
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
      ["r", "在词上或矩阵中：颜色相对于每一行的最大权重"],
      ["e", "在词上或矩阵中：展开写出这个词的一步，看它的数"],
      ["t", "在词上或矩阵中：展开搜索树，其中用方向键在子词之间移动"],
      ["p", "在词上或矩阵中：译文每个词下面的横条显示它的概率"],
      ["c", "在词上或矩阵中：两个句子的词之间画曲线"],
      ["y", "在词上或矩阵中：在汉字上方显示拼音（如果服务器有词典）"],
      ["Esc", "关闭候选；回到输入框"],
    ],
  },
};

const text = texts[language];

/** The sentences to try, by the language of the source. */
const examples = {
  zh: ["潮水退了，才知道谁没穿裤子。", "昨天下雨，我没有去海边。", "如果明天不下雨，我们就去海边。"],
  en: ["When the tide goes out, we know who is not wearing pants.", "It rained yesterday, and I did not go to the beach."],
};

const numberText = (value) => value.toFixed(2).replace("-", "−");

/** A place from 1 that an address has; 0: it has none. */
const readPlace = (written) => (/^[1-9]\d{0,3}$/.test(written) ? Number(written) : 0);

/** Scrolls to a section that has opened, unless one sees where it begins. */
function scrollToSection(element) {
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) element.scrollIntoView();
}

/** Offers choices, each [value, name], in a select. What was chosen stays if it is among them; else `otherwise` is chosen. */
function fillSelect(select, choices, otherwise = choices[0][0]) {
  const values = choices.map(([value]) => String(value)), chosen = select.value;
  if ([...select.options].map(({ value }) => value).join() === values.join()) return; // an open menu stays open
  select.replaceChildren(...choices.map(([value, name]) => make("option", { value }, name)));
  select.value = values.includes(chosen) ? chosen : otherwise;
}

/** Shows a text in an element for three seconds. */
const sayBriefly = (() => {
  const timers = new Map(); // of each element
  return (element, said) => {
    clearTimeout(timers.get(element));
    element.textContent = said;
    timers.set(element, setTimeout(() => (element.textContent = ""), 3000));
  };
})();

/** The line that says why a translator failed, for append: in the page's language, and what tide says, which is English.
 * Throws what is not a failure of a translator. */
function failureLine(problem) {
  const { kind, detail } = problem, line = text.errors[kind];
  if (!line) throw problem;
  return detail && ["refused", "broken"].includes(kind) ? [line, " ", make("small", { lang: "en" }, detail)] : [line];
}
