export interface Detail {
  readonly name: string;
  readonly text: string;
  /** Of a text that is shortened. */
  readonly full?: string;
}

const digest = /\b([0-9a-f]{12})[0-9a-f]{20,}\b/g;

/** Returns the details of an entry with names and values for people: `fromVersion` is "from version", and a digest has its first 12 digits. */
export function detailsOf(details: unknown): readonly Detail[] {
  if (typeof details !== "object" || details === null) return [];
  return Object.entries(details)
    .map(([key, value]) => detailOf(wordsOf(key), textOf(value)))
    .filter(({ text }) => text !== "");
}

function detailOf(name: string, full: string): Detail {
  const text = full.replaceAll(digest, "$1…");
  return text === full ? { name, text } : { name, text, full };
}

function wordsOf(key: string): string {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(value).map(([key, each]): readonly [string, string] => [wordsOf(key), textOf(each)]);
  return parts
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `${name} ${text}`)
    .join(" ");
}
