const maxQuoted = 80;

/** Formats a value for error messages: JSON, cut to at most 100 characters. */
export function quote(text: string): string {
  const json = JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text);
  return json.length > 100 ? `${json.slice(0, 98)}…"` : json;
}
