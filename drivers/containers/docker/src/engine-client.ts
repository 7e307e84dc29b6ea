import { Readable } from "node:stream";
import { ContainerError } from "@appserver/kernel/ports";
import { Client, type Dispatcher, Pool } from "undici";

/** The newest Engine API version that this client supports. An older engine is called with its own version. */
const newestApi = "1.44";
const origin = "http://docker";

export interface EngineRequest {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a stream of bytes (a tar). */
  readonly body?: object | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses that are returned as data with the engine's message instead of a rejection: `[404]`. */
  readonly accept?: readonly number[];
  /** Maximum time until the engine's response headers, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface EngineResponse {
  readonly status: number;
  readonly body: unknown;
}

/** An error response of the engine, with its HTTP status and message. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Calls the Docker Engine API over a Unix socket and negotiates its version. Rejects with {@link EngineError} if the engine
 * refuses, and with a `ContainerError` of reason `unreachable` if there is no engine
 * (docs/interface/errors.md#orchestrator-errors).
 */
export class EngineClient {
  readonly socketPath: string;
  readonly #pool: Pool;
  #apiVersion: Promise<string> | undefined;

  constructor(socketPath: string) {
    this.socketPath = socketPath;
    this.#pool = new Pool(origin, { connections: 8, connect: { socketPath, timeout: 5_000 }, keepAliveTimeout: 10_000 });
  }

  /** Rejects unless the engine responds within `timeoutMs`. */
  async ping(timeoutMs: number): Promise<void> {
    // A separate connection: a pool busy with long stops must not make a healthy engine look unavailable.
    const client = new Client(origin, { connect: { socketPath: this.socketPath, timeout: timeoutMs } });
    try {
      const response = await client.request({ method: "GET", path: "/_ping", signal: AbortSignal.timeout(timeoutMs) });
      await response.body.dump();
      if (response.statusCode !== 200) throw new EngineError(response.statusCode, "ping refused");
    } catch (cause) {
      throw unreachable(cause);
    } finally {
      await client.destroy();
    }
  }

  async request(method: Dispatcher.HttpMethod, path: string, request: EngineRequest = {}): Promise<EngineResponse> {
    const response = await this.#send(method, path, request);
    try {
      const text = await response.body.text();
      if (response.statusCode < 400) return { status: response.statusCode, body: parse(text) };
      const message = messageIn(text) ?? `the engine responded with ${response.statusCode}`;
      if (request.accept?.includes(response.statusCode)) return { status: response.statusCode, body: { message } };
      throw new EngineError(response.statusCode, message);
    } catch (cause) {
      throw cause instanceof EngineError ? cause : classify(cause, request.signal);
    }
  }

  /**
   * Yields the bytes of a long response, for logs. They are read from the engine only as fast as the caller takes them. Leaving the
   * loop early ends the response.
   */
  async *bytes(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): AsyncGenerator<Buffer> {
    // A separate connection: responses that last for hours must not use up those of the pool.
    const connect = { socketPath: this.socketPath, timeout: 5_000 };
    const client = new Client(origin, { connect, headersTimeout: 60_000, bodyTimeout: 0 });
    try {
      const url = `/v${await this.#negotiate()}${path}?${new URLSearchParams(query)}`;
      const response = await client.request({ method: "GET", path: url, ...(signal ? { signal } : {}) });
      if (response.statusCode >= 400) {
        throw new EngineError(response.statusCode, messageIn(await response.body.text()) ?? "refused");
      }
      for await (const chunk of response.body) yield chunk as Buffer;
    } catch (cause) {
      throw classify(cause, signal);
    } finally {
      await client.destroy();
    }
  }

  /**
   * Returns a file or folder of a container as a tar archive. Rejects if it does not exist or has more than `maxBytes`: its size is up
   * to the image.
   */
  async archive(container: string, path: string, maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.bytes(`/containers/${encodeURIComponent(container)}/archive`, { path })) {
      size += chunk.length;
      if (size > maxBytes) throw new EngineError(413, `${path} of ${container} has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** Yields the JSON lines of a long response: pull, push, build, import. Leaving the loop early makes the engine stop. */
  async *lines(method: Dispatcher.HttpMethod, path: string, request: EngineRequest): AsyncGenerator<unknown> {
    const response = await this.#send(method, path, request);
    if (response.statusCode >= 400) {
      const text = await response.body.text();
      throw new EngineError(response.statusCode, messageIn(text) ?? text);
    }
    let rest = "";
    try {
      for await (const chunk of response.body.setEncoding("utf8")) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.trim() !== "") yield parse(line);
      }
    } catch (cause) {
      throw classify(cause, request.signal);
    }
    if (rest.trim() !== "") yield parse(rest);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #send(method: Dispatcher.HttpMethod, path: string, request: EngineRequest): Promise<Dispatcher.ResponseData> {
    const body = encodeBody(request.body);
    const query = request.query ? `?${new URLSearchParams(request.query)}` : "";
    try {
      return await this.#pool.request({
        method,
        path: `/v${await this.#negotiate()}${path}${query}`,
        headers: { ...(typeof body === "string" ? { "content-type": "application/json" } : {}), ...request.headers },
        body,
        headersTimeout: request.timeoutMs ?? 60_000,
        // Minutes may pass between two lines of a pull; the caller's signal is the limit.
        bodyTimeout: 0,
        ...(request.signal ? { signal: request.signal } : {}),
      });
    } catch (cause) {
      throw classify(cause, request.signal);
    }
  }

  #negotiate(): Promise<string> {
    this.#apiVersion ??= this.#readVersion().catch((error: unknown) => {
      // Query the version again: the engine may be another one after an outage.
      this.#apiVersion = undefined;
      throw error;
    });
    return this.#apiVersion;
  }

  async #readVersion(): Promise<string> {
    const response = await this.#pool.request({ method: "GET", path: "/version", headersTimeout: 10_000 });
    const version = (await response.body.json()) as { ApiVersion?: string; MinAPIVersion?: string };
    const offered = version.ApiVersion ?? newestApi;
    if (compareVersions(offered, newestApi) < 0) return offered;
    const least = version.MinAPIVersion ?? newestApi;
    return compareVersions(least, newestApi) > 0 ? least : newestApi;
  }
}

function compareVersions(left: string, right: string): number {
  const [leftMajor = 0, leftMinor = 0] = left.split(".").map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split(".").map(Number);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}

function encodeBody(body: EngineRequest["body"]): string | Readable | null {
  if (body === undefined) return null;
  return Symbol.asyncIterator in body ? Readable.from(body, { objectMode: false }) : JSON.stringify(body);
}

function parse(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function messageIn(text: string): string | undefined {
  const body = parse(text);
  if (typeof body === "string") return body.trim();
  return typeof body === "object" && body !== null && "message" in body ? String(body.message) : undefined;
}

function classify(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return cause instanceof EngineError || cause instanceof ContainerError ? cause : unreachable(cause);
}

function unreachable(cause: unknown): ContainerError {
  return new ContainerError("unreachable", "Cannot connect to Docker daemon", { cause });
}
