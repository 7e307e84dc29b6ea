import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import { rootCertificates } from "node:tls";
import type { GlobalOptions } from "./global-options.ts";
import { readCertificates } from "./platform.ts";
import { Late, RestFailure, Unreachable } from "./rest-failure.ts";

/** A development platform builds a package when it is asked for first, in two minutes at most. */
const responseWithinMs = 150_000;

/** Reads a resource of REST v2 as JSON. Rejects with {@link RestFailure} or {@link Unreachable}. */
export async function readJson<Body>(options: GlobalOptions, path: string): Promise<Body> {
  return JSON.parse(await text(await open(options, path, { accept: "application/json" }))) as Body;
}

/** Sends a command without a body, and reads its response as JSON. Rejects as {@link readJson}. */
export async function postJson<Body>(options: GlobalOptions, path: string): Promise<Body> {
  return JSON.parse(await text(await open(options, path, { accept: "application/json" }, "POST"))) as Body;
}

/** Opens a resource of REST v2 (docs/interface/rest.md). Rejects with {@link RestFailure} or {@link Unreachable}. */
export async function open(
  options: GlobalOptions,
  path: string,
  headers: Readonly<Record<string, string>>,
  method: "GET" | "POST" = "GET",
): Promise<IncomingMessage> {
  const response = await send(options, new URL(path, options.http), headers, method);
  if (response.statusCode === 200) return response;
  const body = await text(response);
  throw RestFailure.of(response.statusCode ?? 0, body);
}

function send(
  { token, ca, http }: GlobalOptions,
  url: URL,
  headers: Readonly<Record<string, string>>,
  method: "GET" | "POST",
): Promise<IncomingMessage> {
  const isTls = url.protocol === "https:";
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const trusted = isTls && ca !== undefined ? { ca: [...rootCertificates, readCertificates(ca)] } : {};
  return new Promise((resolve, reject) => {
    (isTls ? requestHttps : requestHttp)(url, { method, headers: { ...headers, ...authorization }, ...trusted })
      .once("response", (response) => resolve(response.setTimeout(0)))
      .once("error", (cause) => reject(cause instanceof Late ? cause : new Unreachable(http, cause)))
      .setTimeout(responseWithinMs, function (this: ClientRequest) {
        this.destroy(new Late(http));
      })
      .end();
  });
}
