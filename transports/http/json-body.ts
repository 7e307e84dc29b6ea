import {
  AppError,
  type BufferLease,
  type InboundRequest,
  type MaybePromise,
  type RequestHead,
  readWholeBody,
} from "@appserver/kernel";
import { nestedTooDeep, nestsTooDeeply, requireExactNumbers } from "../json-input.ts";
import { HttpStatusError } from "./error-response.ts";

/**
 * Returns the whole body: at once if it has come with the head. Counts each part in the lease before buffering it. Throws or rejects
 * with 413 beyond the limit and 415 for compressed bodies, which could have any size.
 */
export function readBody(request: InboundRequest, maxBytes: number, lease: BufferLease): MaybePromise<Uint8Array> {
  if (isEncoded(request)) throw refuse(415, "send the body uncompressed");
  const { body } = request;
  if (!body) return nothing;
  if ((body.length ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (!body.bytes) {
    const incomplete = (reason: Error | undefined): Error => reason ?? refuse(400, "the body is not complete");
    return readWholeBody(body, { maxBytes, lease, tooLarge: () => tooLarge(maxBytes), incomplete });
  }
  lease.take(body.bytes.length);
  return body.bytes;
}

const nothing = new Uint8Array(0);

function isEncoded(request: RequestHead): boolean {
  const codings = (request.header("content-encoding") ?? "").split(",");
  return codings.some((coding) => !["", "identity"].includes(coding.trim().toLowerCase()));
}

/** Returns the text of a body. Bytes that are not UTF-8 become replacement characters. */
export function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8");
}

/** UTF-8, and its subset. */
const charsets: ReadonlySet<string> = new Set(["utf-8", "utf8", "us-ascii", "ascii"]);

/** Requires JSON, a media type that no HTML form can send (docs/interface/rest.md#requests). */
export function requireJson(contentType: string | undefined): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*["']?([^"'\s]+)["']?\s*$/.exec(parameter)?.[1])
    .find(Boolean);
  if (type.trim() !== "application/json" || (charset !== undefined && !charsets.has(charset))) {
    throw refuse(415, "send application/json in UTF-8");
  }
}

/**
 * Parses a JSON text, which may begin with a byte order mark (RFC 8259 §8.1). Throws INVALID_REQUEST with `what` as its name. Checks the
 * nesting before parsing, and that every number survives (docs/interface/rest.md#numbers).
 */
export function parseJson(given: string, what: string): unknown {
  const text = given.startsWith("\ufeff") ? given.slice(1) : given;
  if (nestsTooDeeply(text)) throw nestedTooDeep(what);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without the cause: a parser's message quotes its input, which may be a secret.
    throw new AppError("INVALID_REQUEST", `${what} must be JSON`);
  }
  requireExactNumbers(text, what);
  return value;
}

function tooLarge(maxBytes: number): HttpStatusError {
  return refuse(413, `the body may have at most ${maxBytes} bytes`);
}

function refuse(status: number, message: string): HttpStatusError {
  return new HttpStatusError(status, new AppError("INVALID_REQUEST", message));
}
