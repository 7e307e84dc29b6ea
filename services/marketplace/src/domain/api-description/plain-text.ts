/**
 * Control characters, those that turn the direction of writing, and all other invisible ones: such texts could show people
 * something else than they say to a language model.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]/gu;

/** Returns a text as one line of at most `length` characters. Undefined if nothing is left, or if it is no text. */
export function plainLine(value: unknown, length: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const line = withoutUnseen(value.slice(0, 4 * length))
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : line || undefined;
}

function withoutUnseen(text: string): string {
  return text.replace(/[\t\r\n]/g, " ").replace(unseen, "");
}
