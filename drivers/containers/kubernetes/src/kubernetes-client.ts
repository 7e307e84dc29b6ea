import type { Clock } from "@appserver/kernel";
import { ContainerError } from "@appserver/kernel/ports";
import { Agent, type Dispatcher, request } from "undici";
import type { Connection } from "./connection.ts";
import { readLines } from "./read-lines.ts";

/** A refusal of the API server (`Status`). */
export class KubernetesError extends Error {
  override readonly name = "KubernetesError";
  readonly status: number;
  /** `AlreadyExists`, `Expired`, … */
  readonly reason: string;

  constructor(status: number, body: unknown) {
    const { message, reason } = (body ?? {}) as { readonly message?: string; readonly reason?: string };
    super(message ?? `the API server responded with ${status}`);
    this.status = status;
    this.reason = reason ?? "Unknown";
  }
}

export interface Call {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Default: JSON. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: T;
}

export const mergePatch = "application/merge-patch+json";

const defaultTimeoutMs = 30_000;
const maxAttempts = 5;
/** The API server ends a watch after this time, so that connections move to other servers. */
const watchSeconds = 240;
/** Bookmarks come about once a minute. Silence for longer than this: the connection is dead. */
const defaultSilenceMs = 90_000;

/** What the driver needs of the Kubernetes API. Waits as long as the server asks for when it has too many requests (429). */
export class KubernetesClient {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #calls: Agent;
  /** Watches and logs hold a connection each: they must not use up the one of short calls. */
  readonly #streams: Agent;
  readonly #silenceMs: number;

  constructor(connection: Connection, clock: Clock, { silenceMs = defaultSilenceMs }: { readonly silenceMs?: number } = {}) {
    this.#silenceMs = silenceMs;
    this.#connection = connection;
    this.#clock = clock;
    const { authority, clientCertificate, isUnverified } = connection;
    const connect = {
      rejectUnauthorized: !isUnverified,
      ...(authority === undefined ? {} : { ca: authority }),
      ...(clientCertificate ? { cert: clientCertificate.certificate, key: clientCertificate.key } : {}),
    };
    this.#calls = new Agent({ connect, connections: 8 });
    this.#streams = new Agent({ connect, headersTimeout: defaultTimeoutMs });
  }

  /** Returns the body of the response. Rejects with KubernetesError, and with a ContainerError `unreachable` if there is none. */
  async call<T>(method: Dispatcher.HttpMethod, path: string, call: Call = {}): Promise<T> {
    const signal = AbortSignal.any([
      AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs),
      ...(call.signal ? [call.signal] : []),
    ]);
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send(method, path, { ...call, signal }, this.#calls);
      const body = await bodyOf(response, call.signal);
      if (response.statusCode < 300) return body as T;
      const retryAfter = Number(response.headers["retry-after"] ?? Number.NaN);
      if (response.statusCode !== 429 || Number.isNaN(retryAfter) || attempt === maxAttempts)
        throw new KubernetesError(response.statusCode, body);
      await this.#clock.sleep(retryAfter * 1_000, signal).catch((error: unknown) => {
        call.signal?.throwIfAborted();
        throw unreachable(error);
      });
    }
  }

  /** Returns undefined if there is no such object. */
  async find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.call<T>("GET", path);
    } catch (error) {
      if (error instanceof KubernetesError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Yields the changes after a version, until the server or `signal` ends the watch. Rejects with status 410 if it is too old. Calls
   * `opened` once the server has accepted it.
   */
  async *watch<T>(
    path: string,
    query: NonNullable<Call["query"]>,
    signal: AbortSignal,
    opened: () => void = () => {},
  ): AsyncGenerator<WatchEvent<T>> {
    const all = { ...query, watch: true, allowWatchBookmarks: true, timeoutSeconds: watchSeconds };
    const { body } = await this.#open(path, { query: all, signal }, this.#silenceMs);
    opened();
    try {
      for await (const lines of readLines(body)) {
        for (const { text } of lines) {
          const event = JSON.parse(text) as WatchEvent<T>;
          if (event.type === "ERROR") throw new KubernetesError((event.object as { readonly code: number }).code, event.object);
          yield event;
        }
      }
    } finally {
      body.destroy();
    }
  }

  /** Opens a response that is read for as long as it lasts, and fails after a silence. 0: after none. */
  async #open(path: string, call: Call, bodyTimeout: number): Promise<Dispatcher.ResponseData> {
    const response = await this.#send("GET", path, call, this.#streams, bodyTimeout);
    if (response.statusCode === 200) return response;
    throw new KubernetesError(response.statusCode, await bodyOf(response, call.signal));
  }

  /** Returns the body of a log. The caller reads it to its end or destroys it. */
  async log(path: string, query: NonNullable<Call["query"]>, signal?: AbortSignal): Promise<Dispatcher.ResponseData["body"]> {
    // An app that is followed may print nothing for days.
    const bodyTimeout = query.follow === true ? 0 : defaultTimeoutMs;
    return (await this.#open(path, { query, ...(signal ? { signal } : {}) }, bodyTimeout)).body;
  }

  async close(): Promise<void> {
    await Promise.all([this.#calls.destroy(), this.#streams.destroy()]);
  }

  async #send(
    method: Dispatcher.HttpMethod,
    path: string,
    { query = {}, body, contentType = "application/json", signal }: Call,
    dispatcher: Agent,
    bodyTimeout: number = defaultTimeoutMs,
  ): Promise<Dispatcher.ResponseData> {
    const { server, token } = this.#connection;
    const url = new URL(server + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = {
      accept: "application/json",
      "user-agent": "appserver",
      ...(token ? { authorization: `Bearer ${token()}` } : {}),
      ...(body === undefined ? {} : { "content-type": contentType }),
    };
    try {
      const content = body === undefined ? {} : { body: JSON.stringify(body) };
      return await request(url, { dispatcher, method, headers, bodyTimeout, ...content, ...(signal ? { signal } : {}) });
    } catch (error) {
      throw unreachable(error);
    }
  }
}

async function bodyOf(response: Dispatcher.ResponseData, signal: AbortSignal | undefined): Promise<unknown> {
  let text: string;
  try {
    text = await response.body.text();
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error);
  }
  try {
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return { message: text.slice(0, 300) };
  }
}

function unreachable(cause: unknown): ContainerError {
  return new ContainerError("unreachable", "Cannot connect to the Kubernetes API server", { cause });
}
