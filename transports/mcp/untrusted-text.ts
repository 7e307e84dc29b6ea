import { createHash } from "node:crypto";

/** What a person does not see: control, format and private characters, line ends, and characters that nothing shows. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;

/** Returns a text of an app as one visible line of at most `maxLength` characters. */
export function visibleLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replace(invisible, " ")
    .replace(/\s+/g, " ")
    .trim();
  return [...line].slice(0, maxLength).join("");
}

/**
 * Marks a text of an app in the description of a tool as data. The name of the tag is a digest of the text, so that the text cannot have it, and
 * that the same description is always the same.
 */
export function markedAsData(text: string): string {
  const tag = `data-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  return `<${tag}>${text}</${tag}>`;
}
