import type { Duplex } from "node:stream";
import type {
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamReceiver,
  UpstreamRequest,
  UpstreamTarget,
} from "@appserver/kernel/ports";
import { type buildConnector, Client, type Dispatcher, Pool } from "undici";
import { InterimResponses } from "./interim-responses.ts";
import { connectTimeoutMs, type UpstreamConnections } from "./upstream-connections.ts";

/** Implements upstreams with undici: one pool each. The resolved address is checked at every connect. */
export class UndiciUpstreams {
  readonly #connections: UpstreamConnections;

  constructor(connections: UpstreamConnections) {
    this.#connections = connections;
  }

  open(target: UpstreamTarget): Upstream {
    const url = URL.canParse(target.url) ? new URL(target.url) : undefined;
    if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "") {
      throw new RangeError(`"${target.url}" is not an upstream: expected an http or https URL without user info`);
    }
    const connect = target.managed ? { timeout: connectTimeoutMs, allowH2: false } : this.#connections.connector();
    // Callers have their own deadlines. Those of undici are too coarse and do not show which side caused a pause.
    const options = { connect, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false } as const;
    const factory = (origin: URL, settled: object) => new UpstreamClient(origin, settled as SettledOptions);
    const pool = new Pool(url.origin, { ...options, factory });
    return new UndiciUpstream(pool, url.pathname);
  }
}

class UndiciUpstream implements Upstream {
  readonly #pool: Pool;
  /** The upstream URL as written. */
  readonly #root: string;
  /** Without a trailing slash. */
  readonly #basePath: string;

  constructor(pool: Pool, root: string) {
    this.#pool = pool;
    this.#root = root;
    this.#basePath = root.replace(/\/+$/, "");
  }

  target(path: string): string {
    return (path.startsWith("/") ? this.#basePath : this.#root) + path;
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): void {
    const options: Dispatcher.DispatchOptions = {
      method: request.method as Dispatcher.HttpMethod,
      path: this.target(request.path),
      headers: request.headers,
      body: request.body ?? null,
      upgrade: request.upgrade ?? null,
    };
    try {
      this.#pool.dispatch(options, new ReceiverHandler(receiver));
    } catch (error) {
      receiver.onError(failureOf(error));
    }
  }

  async close(graceMs?: number): Promise<void> {
    const closed = this.#pool.close();
    if (graceMs === undefined) return closed;
    const timer = setTimeout(() => void this.#pool.destroy(), graceMs);
    await closed.catch(() => {});
    clearTimeout(timer);
  }
}

/** The options that a pool passes to its clients: the pool's own options, with a connector built from `connect`. */
type SettledOptions = Client.Options & { readonly connect: buildConnector.connector };

/** Uses one connection at a time, with one request at a time. */
class UpstreamClient extends Client {
  readonly #interim: InterimResponses;

  constructor(origin: URL, options: SettledOptions) {
    const interim = new InterimResponses();
    const connect: buildConnector.connector = (target, callback) =>
      options.connect(target, (...result) => {
        if (result[1]) interim.watch(result[1]);
        callback(...result);
      });
    super(origin, { ...options, connect });
    this.#interim = interim;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof ReceiverHandler) handler.interim = this.#interim;
    return super.dispatch(options, handler);
  }
}

/** Adapts the port's receiver to undici's handler interface. */
class ReceiverHandler implements Dispatcher.DispatchHandler {
  readonly #receiver: UpstreamReceiver;
  /** Belongs to the connection that the request was assigned to. */
  interim: InterimResponses | undefined;

  constructor(receiver: UpstreamReceiver) {
    this.#receiver = receiver;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.interim?.expectHead();
    this.#receiver.onStart(new ControllerCall(controller));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    // 1xx concerns only the upstream and the platform.
    if (status >= 200) this.#receiver.onHead(status, headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#receiver.onData(chunk);
  }

  onResponseEnd(): void {
    this.#receiver.onEnd();
  }

  onRequestUpgrade(_: Dispatcher.DispatchController, __: number, headers: UpstreamHeaders, socket: Duplex): void {
    this.#receiver.onUpgrade(headers, socket);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#receiver.onError(failureOf(error));
  }
}

class ControllerCall implements UpstreamCall {
  readonly #controller: Dispatcher.DispatchController;

  constructor(controller: Dispatcher.DispatchController) {
    this.#controller = controller;
  }

  pause(): void {
    this.#controller.pause();
  }

  resume(): void {
    this.#controller.resume();
  }

  abort(): void {
    this.#controller.abort(new Error("the caller aborted the request"));
  }
}

const unreachable: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const reset: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);

function failureOf(cause: unknown): UpstreamFailure {
  const code = codeOf(cause);
  if (code === "ADDRESS_DENIED") return { kind: "denied", cause };
  if (code === "REQUEST_BODY") return { kind: "body", cause };
  if (unreachable.has(code)) return { kind: "unreachable", cause };
  return { kind: reset.has(code) ? "reset" : "protocol", cause };
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return String(error.code);
}
