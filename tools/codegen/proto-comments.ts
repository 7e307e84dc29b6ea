import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../contracts/proto/appserver/v2");

/**
 * Returns the comments of the platform's messages and fields, by `Message` and `Message.field`. The generated code has them for readers
 * only. References to pages are left out.
 */
export function protoComments(): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  for (const file of readdirSync(folder)) readComments(readFileSync(join(folder, file), "utf8"), comments);
  return comments;
}

function readComments(text: string, comments: Map<string, string>): void {
  let message = "";
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, comment] = /^\s*\/\/ ?(.*)$/.exec(line) ?? [];
    const [, opened] = /^(?:message|enum) (\w+) \{/.exec(line) ?? [];
    const [, field] = /^\s+[\w.<>, ]*?(\w+) = \d+(?: \[.*\])?;/.exec(line) ?? [];
    if (comment !== undefined) {
      lines.push(comment);
      continue;
    }
    message = opened ?? message;
    const name = opened ?? (field && `${message}.${field}`);
    if (name !== undefined && lines.length > 0) comments.set(name, plain(lines.join(" ")));
    lines = [];
  }
}

function plain(comment: string): string {
  return comment.replaceAll(/\s*\(docs\/[^)]*\)/g, "");
}
