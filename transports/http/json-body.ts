import type { IncomingMessage } from "node:http";
import { AppError, type BufferLease } from "@appserver/kernel";
import { nestedTooDeep, nestsTooDeeply, requireExactNumbers } from "../json-input.ts";
import { HttpStatusError } from "./error-response.ts";

/**
 * Reads the whole body, and counts each part in the lease before buffering it. Rejects with 413 beyond the limit and 415 for
 * compressed bodies, which could have any size.
 */
export async function readBody(request: IncomingMessage, maxBytes: number, lease: BufferLease): Promise<Buffer> {
  if (isEncoded(request)) throw refuse(415, "send the body uncompressed");
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    lease.take(chunk.length);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

function isEncoded({ headers }: IncomingMessage): boolean {
  const codings = (headers["content-encoding"] ?? "").split(",");
  return codings.some((coding) => !["", "identity"].includes(coding.trim().toLowerCase()));
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
