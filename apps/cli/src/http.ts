import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { rootCertificates } from "node:tls";
import type { GlobalOptions } from "./global-options.ts";
import { readCertificates } from "./platform.ts";
import { Late, Refusal, Unreachable } from "./refusal.ts";
import { UsageError } from "./usage-error.ts";

/** A development platform builds a package when it is asked for first, in two minutes at most. */
const responseWithinMs = 150_000;

export interface HttpRequest {
  readonly path: string;
  /** Default: JSON. */
  readonly accept?: string;
  /** JSON. Sent as a POST; empty for one without a body. */
  readonly body?: string;
  /** Sent as a POST. */
  readonly form?: URLSearchParams;
  /** Default: GET, or POST with a body. */
  readonly method?: string;
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in place of a body. */
  readonly upload?: HttpUpload;
  readonly signal?: AbortSignal;
}

/** Reads the response as JSON. Rejects as {@link open} does. */
export async function readJson<Body>(options: GlobalOptions, path: string, body?: string): Promise<Body> {
  return JSON.parse(await readText(options, await open(options, { path, ...(body !== undefined && { body }) }))) as Body;
}

/** A body that is streamed. */
export interface HttpUpload {
  readonly type: string;
  readonly length: number;
  readonly bytes: Readable;
}

/** Opens a resource of the platform. Rejects with {@link Refusal}, {@link Late} or {@link Unreachable}. */
export async function open(options: GlobalOptions, request: HttpRequest): Promise<IncomingMessage> {
  const response = await send(options, request);
  if (response.statusCode === 200) return response;
  throw Refusal.ofBody(response.statusCode ?? 0, await readText(options, response));
}

/** Reads the body of a response as text. Rejects as {@link readBytes} does. */
export async function readText(options: GlobalOptions, response: IncomingMessage): Promise<string> {
  return (await readBytes(options, response)).toString();
}

/** Reads the body of a response. Rejects with {@link Unreachable} if the connection is lost before its end. */
export async function readBytes({ http }: GlobalOptions, response: IncomingMessage): Promise<Buffer> {
  try {
    return await buffer(response);
  } catch (cause) {
    throw new Unreachable(http, cause as Error);
  }
}

/** Sends a request, and returns the response with any status. Rejects with {@link Late} or {@link Unreachable}. */
export function send(
  options: GlobalOptions,
  { path, accept = "application/json", form, body = form?.toString(), method, headers: others, upload, signal }: HttpRequest,
): Promise<IncomingMessage> {
  const { http } = options;
  if (!URL.canParse(http)) throw new UsageError(`--http must be a URL like http://127.0.0.1:8080, got ${JSON.stringify(http)}`);
  const url = new URL(path, http);
  const { headers, ...trusted } = credentialsFor(options, url);
  const type = upload?.type ?? (form ? "application/x-www-form-urlencoded" : "application/json");
  const settings = {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...others,
      ...headers,
      accept,
      ...((body || upload) && { "content-type": type }),
      ...(upload && { "content-length": upload.length }),
    },
    ...trusted,
    ...(signal && { signal }),
  };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, settings)
      .once("response", (response) => resolve(response.setTimeout(0)))
      .once("error", (cause) => reject(cause instanceof Late ? cause : new Unreachable(http, cause)))
      .setTimeout(responseWithinMs, function (this: ClientRequest) {
        this.destroy(new Late(http));
      });
    // A failure of the connection is the error of the request.
    if (upload) pipeline(upload.bytes, request, () => {});
    else request.end(body ?? "");
  });
}

/** Returns what a connection to an address needs: the session, and the certificates to trust in addition. */
export function credentialsFor(
  { token, ca }: GlobalOptions,
  { protocol }: URL,
): Pick<RequestOptions, "headers"> & { readonly ca?: string[] } {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const isTls = protocol === "https:" || protocol === "wss:";
  return { headers, ...(isTls && ca !== undefined && { ca: [...rootCertificates, readCertificates(ca)] }) };
}
