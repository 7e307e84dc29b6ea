/** Statements that begin and end a transaction. */
export function isBegin(text: string): boolean {
  return /^\s*(begin|start transaction)\b/i.test(text);
}

export function isCommit(text: string): boolean {
  return /^\s*(commit|end)\b\s*;?\s*$/i.test(text);
}

const strings = /'(?:[^']|'')*'/g;
const comments = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const notWrites = /\bfor\s+(?:no\s+key\s+)?update\b|\bon\s+conflict\b[\s\S]*?\bdo\s+update\s+set\b|\bon\s+commit\s+drop\b/gi;
const writes =
  /\b(insert\s+into|update(?:\s+only)?|delete\s+from|merge\s+into|truncate(?:\s+table)?|copy)\s+("?[a-z_][\w$."]*)|\b(create|alter|drop|grant|call)\b/gi;

/**
 * Returns what an SQL text writes: `insert marketplace.apps`. Empty for a text that only reads. It reads the words of the text,
 * so what it does not know is a write: `create`.
 */
export function writtenTables(text: string): readonly string[] {
  const plain = text.replace(comments, " ").replace(strings, "''").replace(notWrites, " ");
  return [
    ...new Set(
      [...plain.matchAll(writes)].map(([, verb, table, other]) =>
        other ? other.toLowerCase() : `${(verb ?? "").split(/\s/)[0]?.toLowerCase()} ${(table ?? "").replaceAll('"', "")}`,
      ),
    ),
  ];
}
