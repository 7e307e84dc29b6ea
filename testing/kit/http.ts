import assert from "node:assert/strict";
import { type IncomingHttpHeaders, request as startRequest } from "node:http";
import type { ErrorBody } from "@appserver/contracts/errors";
import { eventually } from "./eventually.ts";

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

/**
 * Sends one request with its path and headers exactly as given: without normalising, adding, decoding or following redirects.
 */
export function send(
  baseUrl: string,
  path: string,
  { method = "GET", headers = {}, body }: HttpRequest = {},
): Promise<HttpAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const request = startRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString("utf8") });
      });
    });
    request.once("error", reject);
    request.end(body);
  });
}

/** Parses the response body as JSON. Throws an error that contains the body if it is invalid. */
export function jsonOf(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch (cause) {
    throw new Error(`not JSON (status ${answer.status}): ${answer.text}`, { cause });
  }
}

/** Parses the body of an error (docs/interface/errors.md#http-body). Throws if it has another shape. */
export function errorOf(answer: HttpAnswer): ErrorBody {
  const body = jsonOf(answer) as ErrorBody;
  const fields = Object.keys(body).sort().join();
  const isError = typeof body.error === "string" && typeof body.code === "string" && typeof body.details === "object";
  if (fields !== "code,details,error" || !isError) throw new Error(`not the body of an error: ${answer.text}`);
  return body;
}

/**
 * Repeats a request until the response has the status, and returns that response. Rejects with the last response after a minute.
 * Each server receives changes of apps as events, so a short time after the change.
 */
export function untilStatus(baseUrl: string, path: string, status: number, request: HttpRequest = {}): Promise<HttpAnswer> {
  const options = { what: `${path} returns ${status}` };
  const look = async (): Promise<HttpAnswer> => {
    const answer = await send(baseUrl, path, request);
    assert.equal(answer.status, status, `${answer.status} ${answer.text}`);
    return answer;
  };
  return eventually(look, undefined, options);
}

/**
 * Waits until the server proxies calls of `path` to the app, and returns the first response that is neither 404 nor 503. An
 * anonymous caller gets 401 from an app that declares no routes.
 */
export function untilRouted(baseUrl: string, appName: string, path = "/"): Promise<HttpAnswer> {
  const look = async (): Promise<HttpAnswer> => {
    const answer = await send(baseUrl, `/api/apps/${appName}${path}`);
    assert.ok(answer.status !== 404 && answer.status !== 503, `${answer.status} ${answer.text}`);
    return answer;
  };
  return eventually(look, undefined, { what: `${appName} is routed` });
}
