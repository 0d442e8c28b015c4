import { diffArrays } from "diff";

export interface Part {
  value: string;
  added: boolean;
  removed: boolean;
}

// What came of a text, by words of any language: the words of Chinese, Hebrew or Russian are not taken apart.
export function wordParts(was: string, now: string): Part[] {
  const words = new Intl.Segmenter(undefined, { granularity: "word" });
  const split = (text: string) => Array.from(words.segment(text), (one) => one.segment);
  return diffArrays(split(was), split(now)).map((part) => ({
    value: part.value.join(""),
    added: part.added ?? false,
    removed: part.removed ?? false,
  }));
}
