/** Returns the length in code points: a character outside the basic plane counts as one, although it has two code units. */
export function characterCount(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}
