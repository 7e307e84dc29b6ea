import { badHead, controls, type Fields, type KnownLine, lineEnd, parseFields, ResponseError } from "./response-fields.ts";

/** Statuses above 599 are not valid (RFC 9110 §15), and HTTP/2 of Node does not send them. */
export const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;

/** The head of a response. */
export interface Head extends Fields {
  /** Its lines, each with its CR LF. */
  readonly text: string;
  readonly status: number;
  /** Of the version: HTTP/1.0 or HTTP/1.1. */
  readonly minor: "0" | "1";
  /** That of `UpstreamReceiver`. Undefined where nothing is kept. */
  derived: Map<object, unknown> | undefined;
}

/** Throws ResponseError. `known` as for {@link parseFields}. */
export function parseHead(text: string, known?: KnownLine[]): Head {
  const end = lineEnd(text, 0);
  const line = text.slice(0, end);
  const found = statusLine.exec(line);
  if (!found) throw controls.test(line) ? badHead() : notHttp1();
  const minor = found[1] === "0" ? "0" : "1";
  return { ...parseFields(text, end + 2, known), text, status: Number(found[2]), minor, derived: undefined };
}

export function notHttp1(): ResponseError {
  return new ResponseError("the status line is not one of HTTP/1.1");
}
