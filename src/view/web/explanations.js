// What the terms of all pages mean: one sentence each, shown when a term is pointed at, tapped, or has the focus. One line for
// each term and language: mk/web.mk takes some of them for the page of alignments.
const explanations = {
  en: {
    end: "</s> is the end of a sentence: the model reads it like a word, and writes it when the translation is complete.",
    piece: "The model reads and writes pieces: a piece is a word, a part of a word, or one character.",
    score: "The score is the logarithm of a translation's probability, divided by a power of its length: near 0 is good.",
    alpha: "α is the attention weight: how much attention a source word gets while the model writes a word.",
    confidence: "The confidence says how close the translation probably is to that of a person: the chrF that its probability predicts.",
    hypothesis: "A hypothesis is a translation that the search has found; the one with the best score is the first.",
    beam: "The beam has the hypotheses that the search continues: the few most probable ones of each step.",
    pruned: "A pruned hypothesis was less probable than those in the beam: the search does not continue it.",
    layer: "The decoder has several layers, one after the other; each reads the source with attention weights of its own.",
    head: "A head is one of several attentions that work side by side; each has attention weights of its own.",
    probability: "The probability says how likely the model finds a piece at this place, after the pieces before it.",
    loss: "The loss is what the training makes smaller: large where the model finds the reference unlikely.",
    perplexity: "A perplexity of 10 means that the model is as unsure of a piece as of one of 10 equally likely ones.",
    "ce-mean-words": "The cross-entropy is the mean of −log p of the references' pieces: 0 if the model is sure of all.",
    bleu: "BLEU, from 0 to 100, says how many groups of one to four words a translation shares with the reference.",
    chrf: "chrF, from 0 to 100, says how many groups of one to six characters a translation shares with the reference.",
    gradient: "The gradient says how to change each weight; its norm is the size of all changes: peaks mean trouble.",
    rate: "The learning rate is the size of the steps in which the training changes the weights.",
    entropy: "The attention entropy says how widely the attention spreads: 0 if a step has all of it on one source piece.",
    diversity: "The attention diversity is the share of source pieces that have the largest weight of some step: near 0, all steps have the same one.",
    dev: "The dev set is a small part of the corpus that the model never learns from: it shows how well new text is translated.",
    aer: "AER, the alignment error rate, compares links with those of people: 0 if all sure links are found and no wrong ones, 1 if all are wrong.",
  },
  zh: {
    end: "</s> 是句子的结束：模型像读词一样读它，译文完成时写出它。",
    piece: "模型读写的单位是子词：一个词、词的一部分，或一个字符。",
    score: "得分是译文概率的对数，再除以长度的幂：越接近 0 越好。",
    alpha: "α 是注意力权重：写译文的这个词时，原文的这个词占多少；每一行之和是 100%。",
    confidence: "把握表示译文大概有多接近人的译文：由译文概率预测的 chrF。",
    hypothesis: "假设是搜索找到的一个译文；得分最好的排在第一。",
    beam: "束是搜索继续下去的假设：每一步中最可能的几个。",
    pruned: "被剪掉的假设不如束中的那些可能：搜索不再继续它。",
    layer: "解码器有先后相接的几层；每层都用自己的注意力权重读原文。",
    head: "头是并列工作的几个注意力之一；每个头有自己的注意力权重。",
    probability: "概率表示：在前面的子词之后，模型认为这个位置是这个子词的可能性有多大。",
    loss: "损失是训练要减小的数：模型认为参考译文越不可能，损失就越大。",
    perplexity: "困惑度为 10，表示模型对每个子词的把握，就像在 10 个同样可能的子词中选一个。",
    "ce-mean-words": "交叉熵是参考译文各子词 −log p 的平均值：如果模型对每个都有把握，就是 0。",
    bleu: "BLEU 从 0 到 100，表示译文与参考译文有多少相同的一至四个词的词组。",
    chrf: "chrF 从 0 到 100，表示译文与参考译文有多少相同的一至六个字符的片段。",
    gradient: "梯度表示每个权重应如何改变，它的范数是全部改变的大小：突然升高表示有问题。",
    rate: "学习率是训练改变权重时的步长。",
    entropy: "注意力的熵表示注意力有多分散：如果每一步只注意一个原文子词，就是 0。",
    diversity: "注意力的多样性，看有多少原文子词在某一步的权重最大：接近 0，表示总是同一个。",
    dev: "开发集是语料中模型从不学习的一小部分：用来检查新文字译得好不好。",
    aer: "AER 是对齐错误率，把链接与人工链接比较：找到全部确定的链接而没有错的是 0，全错是 1。",
  },
}[language];

let explained = null; // the term whose explanation is shown

/** Marks an element as a term that has an explanation, and returns it. */
function explain(element, term) {
  const id = `means-${term}`, attributes = { id, class: "meaning", role: "tooltip", popover: "manual" };
  if (!$(id)) document.body.append(make("div", attributes, explanations[term]));
  element.classList.add("term");
  element.setAttribute("aria-describedby", id);
  if (element.tabIndex < 0 && !element.hasAttribute("tabindex")) element.tabIndex = 0;
  return element;
}

for (const element of document.querySelectorAll("[data-term]")) explain(element, element.dataset.term);

const meaningOf = (term) => $(term.getAttribute("aria-describedby"));

/** Shows the explanation of a term, above it if there is room; null: hides it. They touch, for the pointer. */
function showMeaning(term) {
  if (explained && explained !== term) meaningOf(explained).hidePopover();
  explained = term;
  if (!term) return removals.disconnect();
  removals.observe(document.body, { childList: true, subtree: true });
  const meaning = meaningOf(term), box = term.getBoundingClientRect();
  if (!meaning.matches(":popover-open")) meaning.showPopover();
  const { width, height } = meaning.getBoundingClientRect();
  meaning.style.left = `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8))}px`;
  meaning.style.top = `${box.top < height ? box.bottom : box.top - height}px`;
}

/** Shows the explanation of the term at which something has happened. What the keyboard has chosen stays. */
function followTerm({ target }) {
  const term = target.closest(".term");
  if (term || (!target.closest(".meaning") && !explained?.matches(":focus-visible"))) showMeaning(term);
}

/** Hides the explanation of a term that is no longer on the page. */
const removals = new MutationObserver(() => {
  if (explained && !explained.isConnected) showMeaning(null);
});

for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, followTerm);
document.addEventListener("focusout", () => explained?.matches(":hover") || showMeaning(null));
document.addEventListener("scroll", () => showMeaning(explained), true);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !explained) return;
  event.preventDefault();
  event.stopPropagation();
  showMeaning(null);
}, true);
