/** A model, loaded by `load`. */
export interface Translator {
  readonly model: Model;
  /**
   * Translates a text: its sentences are translated one by one, its line breaks stay. Calls are answered one after the
   * other. Rejects if the text has more than 256 sentences, or a sentence has more than 500 pieces.
   */
  translate(text: string, options?: Options): Promise<Translation>;
  /**
   * The numbers of one step of the decoder, for one sentence and the pieces of its translation: the step that has read
   * `step` of the pieces. `top`: most pieces in `best`; 10 without it.
   */
  explain(text: string, pieces: string[], step: number, options?: { top?: number }): Promise<Explanation>;
  /**
   * The tree of the search for one sentence; `alternatives` and `prefix` as for translate. `pruned`: most pruned candidates
   * of a step; 5 without it, at most 20.
   */
  search(text: string, options?: { alternatives?: number; prefix?: string[]; pruned?: number }): Promise<SearchTree>;
}

/** As the answer of POST /v1/search, which tide's docs/server.md describes. */
export interface SearchTree {
  steps: { parent: number; piece: string; logProbability: number; total: number; kept: boolean }[][];
  hypotheses: { step: number; place: number; score: number }[];
}

/** The names of `numbers` are those of the answer of POST /v1/explain, which tide's docs/server.md describes. */
export interface Explanation {
  step: number;
  source: string[];
  target: string[];
  numbers: Record<string, Record<string, number[] | number[][]>>;
  next: { piece: string; probability: number };
  best: { piece: string; probability: number }[];
}

export interface Model {
  name: string;
  /** Codes of languages, for example "zh" and "en". */
  source: string;
  target: string;
  /** The kind of attention, for example "additive". */
  attention: string;
  /** Whether the model has attention, so that sentences have an alignment. */
  alignment: boolean;
  layers: number;
  heads: number;
}

export interface Options {
  /** Hypotheses besides the best one, at most 15. */
  alternatives?: number;
  /** The most probable pieces to return for each place of the translation, at most 16. */
  candidates?: number;
  /** Whose weights are the alignment, counted from 1; without them, the model's choice. */
  layer?: number;
  head?: number;
  /** Pieces with which the translation begins; the text must then be one sentence. */
  prefix?: string[];
  signal?: AbortSignal;
  /** Called while a sentence is translated: the beginning on which all hypotheses agree. */
  onSettled?: (settled: { sentence: number; text: string; pieces: string[]; rows?: number[][] }) => void;
}

export interface Translation {
  text: string;
  sentences: Sentence[];
}

export interface Sentence {
  source: string;
  sourcePieces: string[];
  text: string;
  /** Of the best hypothesis, with "</s>"; those of the source if it is copied. */
  pieces: string[];
  /** ln p divided by a power of the length; and ln p. Absent: the sentence is copied. */
  score?: number;
  logProbability?: number;
  /** true: the model knows nothing of the sentence, except punctuation, so `text` is the sentence itself. */
  copied?: boolean;
  /** How good the translation probably is, from 0 to 1; absent: the model does not say. */
  confidence?: number;
  alternatives?: { text: string; pieces: string[]; score: number }[];
  /** matrix[i][j]: the attention weight of source piece j for target piece i. */
  alignment?: { source: string[]; target: string[]; matrix: number[][] };
  candidates?: { piece: string; probability: number }[][];
}

/**
 * Loads a model: a path of a model.safetensors or of its folder, or its bytes. `wasm`: where engine.wasm is, if it is not
 * beside this module, or its bytes. Rejects with one line if the model cannot be read.
 */
export function load(model: string | URL | Uint8Array, options?: { wasm?: string | URL | Uint8Array }): Promise<Translator>;
