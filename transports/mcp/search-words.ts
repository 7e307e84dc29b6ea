/** The words of a search, in lower case, each once. */
export type SearchWords = readonly string[];

/** Each word is looked for in each tool. */
const maxWords = 12;

/** Returns the words of a search. Those beyond the first 12 do not count. */
export function searchWords(query: string): SearchWords {
  return [
    ...new Set(
      query
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter(Boolean),
    ),
  ].slice(0, maxWords);
}

/** Returns how many of the words are in a text of lower case. */
export function scoreOf(text: string, words: SearchWords): number {
  let score = 0;
  for (const word of words) if (text.includes(word)) score += 1;
  return score;
}
