import { isRecord } from "./is-record.ts";

/** Characters of a name in the audit log. */
const maxLength = 120;
/** Marks names that a program has given itself. */
const said = "said: ";
const clientInfoKey = "io.modelcontextprotocol/clientInfo";

/**
 * Returns the name that the program which sent the message gave itself, for the audit log: `said: my-editor`. It is that of the client
 * info, which each message of revision 2026-07-28 has, or else of the `User-Agent`. Proves nothing.
 */
export function saidClient(message: unknown, userAgent: string | undefined): string {
  const params = isRecord(message) && isRecord(message["params"]) ? message["params"] : {};
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  return said + (nameOf(meta[clientInfoKey]) || productOf(userAgent) || "unnamed");
}

function nameOf(info: unknown): string {
  return isRecord(info) && typeof info["name"] === "string" ? clean(info["name"]) : "";
}

/** `editor` of `editor/1.2 (linux)`. */
function productOf(userAgent = ""): string {
  return clean(/^[^/\s(]+/.exec(userAgent)?.[0] ?? "");
}

/** Control characters, marks of direction and half characters could forge a line of a log or a page. */
function clean(text: string): string {
  return text
    .slice(0, 10 * maxLength)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, maxLength - said.length)
    .toWellFormed();
}
