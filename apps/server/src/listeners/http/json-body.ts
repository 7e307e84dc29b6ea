import type { IncomingMessage } from "node:http";
import { AppError, type BufferLease } from "@appserver/kernel";
import { nestedTooDeep, nestsTooDeeply } from "../json-input.ts";
import { HttpStatusError } from "./error-response.ts";

/**
 * The whole body, each part counted in the lease before it is kept. Rejects with 413 beyond the limit and 415 for compressed
 * ones, which could hide any size.
 */
export async function readBody(request: IncomingMessage, maxBytes: number, lease: BufferLease): Promise<Buffer> {
  if (request.headers["content-encoding"] !== undefined) throw refuse(415, "send the body uncompressed");
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

/** Requires JSON, a media type that no HTML form can send (docs/interface/rest.md#requests). */
export function requireJson(contentType: string | undefined): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  if (type.trim() !== "application/json" || (charset !== undefined && charset !== "utf-8" && charset !== "utf8")) {
    throw refuse(415, "send application/json in UTF-8");
  }
}

/** A text as JSON, or INVALID_REQUEST naming what it was. What nests too deeply is refused before a parser follows it. */
export function parseJson(text: string, what: string): unknown {
  if (nestsTooDeeply(text)) throw nestedTooDeep(what);
  try {
    return JSON.parse(text);
  } catch {
    // Not as the cause: a parser's message quotes what it read, and that may be a secret.
    throw new AppError("INVALID_REQUEST", `${what} must be JSON`);
  }
}

function tooLarge(maxBytes: number): HttpStatusError {
  return refuse(413, `the body may have at most ${maxBytes} bytes`);
}

function refuse(status: number, message: string): HttpStatusError {
  return new HttpStatusError(status, new AppError("INVALID_REQUEST", message));
}
