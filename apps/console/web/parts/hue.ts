const hues = 6;

/** Returns which of the colours of console.css stands for a name: always the same one. */
export function hueOf(name: string): number {
  return [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % hues;
}
