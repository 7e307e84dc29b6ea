import type { IncomingMessage } from "node:http";
import { AppError } from "@appserver/kernel";
import { HttpStatusError } from "../http/error-response.ts";
import type { GraphqlRequest } from "./executor.ts";

/** The whole body; rejects with 413 beyond the limit and 415 for compressed ones, which could hide any size. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (request.headers["content-encoding"] !== undefined) throw refuse(415, "send the body uncompressed");
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** Requires JSON: a media type that no form can send (design/security "cross-site WebSocket, CSRF"). */
export function requireJson(contentType: string | undefined): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1]).find(Boolean);
  if (type.trim() !== "application/json" || (charset !== undefined && charset !== "utf-8" && charset !== "utf8")) {
    throw refuse(415, "send application/json in UTF-8");
  }
}

export function readJsonParameters(body: Buffer): GraphqlRequest {
  return checkParameters(parseJson(body.toString("utf8"), "the body"));
}

export function readQueryParameters(url: string): GraphqlRequest {
  const query = url.indexOf("?");
  const parameters = new URLSearchParams(query === -1 ? "" : url.slice(query));
  return checkParameters({
    query: parameters.get("query") ?? undefined,
    operationName: parameters.get("operationName") || undefined,
    variables: parseJson(parameters.get("variables") || "null", "variables"),
    extensions: parseJson(parameters.get("extensions") || "null", "extensions"),
  });
}

/** The parameters with their types, or INVALID_REQUEST. `null` is the same as absent. Serves WebSockets, too. */
export function checkParameters(parameters: unknown): GraphqlRequest {
  if (!isRecord(parameters)) throw new AppError("INVALID_REQUEST", "a request is a JSON object with a query");
  const { query, operationName, variables, extensions } = parameters;
  if (typeof query !== "string" || query === "") throw invalid("query", "must be a text");
  if (operationName != null && typeof operationName !== "string") throw invalid("operationName", "must be a text");
  if (variables != null && !isRecord(variables)) throw invalid("variables", "must be an object");
  if (extensions != null && !isRecord(extensions)) throw invalid("extensions", "must be an object");
  return { query, operationName: operationName ?? undefined, variables: variables ?? undefined };
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_REQUEST", `${what} must be JSON`, { cause });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(field: string, message: string): AppError {
  return new AppError("INVALID_REQUEST", `${field} ${message}`, { violations: [{ field, message }] });
}

function tooLarge(maxBytes: number): HttpStatusError {
  return refuse(413, `the body may have at most ${maxBytes} bytes`);
}

function refuse(status: number, message: string): HttpStatusError {
  return new HttpStatusError(status, new AppError("INVALID_REQUEST", message));
}
