/** A sequence of SGR (ECMA-48 8.3.117), control characters, and characters that turn the direction of writing. */
const unsafe = /\x1b\[[\d;]*m|[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const reset = "\x1b[0m";

/** Returns lines without anything that changes the terminal. */
export function harmlessLines(text: string): string {
  return text.split("\n").map(harmless).join("\n");
}

/** Returns a value as JSON, whose texts stay the same, with the characters escaped that {@link harmless} escapes. */
export function harmlessJson(value: unknown, space?: number): string {
  return JSON.stringify(value, undefined, space).replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns the text of a line without anything that changes the terminal. Colours stay, and end with the line. */
export function harmless(text: string): string {
  let isStyled = false;
  const shown = text.replace(unsafe, (found) => {
    if (!isStyle(found)) return escaped(found);
    isStyled = true;
    return found;
  });
  return isStyled && !shown.endsWith(reset) ? shown + reset : shown;
}

/** Returns whether a sequence sets colours, weight and the like, and hides nothing: 8 conceals. */
function isStyle(sequence: string): boolean {
  if (sequence.length === 1) return false;
  const codes = sequence.slice(2, -1).replace(/(?<=^|;)[34]8;(?:5;\d+|2;\d+;\d+;\d+)(?=;|$)/g, "0");
  return codes.split(";").every((code) => Number(code) <= 107 && ![8, 38, 48, 58].includes(Number(code)));
}

function escaped(text: string): string {
  return text.replace(/^./s, (character) => {
    const hex = character.charCodeAt(0).toString(16);
    return hex.length > 2 ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`;
  });
}
