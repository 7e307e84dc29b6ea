import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { type Dispatcher, Pool } from "undici";
import type { UpstreamTarget } from "../domain/proxied-app.ts";
import type { AddressPolicy } from "../domain/upstream-address.ts";
import type {
  Upstream,
  UpstreamCall,
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamReceiver,
  UpstreamRequest,
  Upstreams,
} from "../ports.ts";
import { checkedConnector, connectTimeoutMs } from "./checked-connector.ts";

/** Upstreams over undici: a pool each, with the resolved address checked at every connect. */
export class UndiciUpstreams implements Upstreams {
  readonly #policy: AddressPolicy;
  readonly #lookup: LookupFunction;

  constructor(policy: AddressPolicy, lookup: LookupFunction = systemLookup as LookupFunction) {
    this.#policy = policy;
    this.#lookup = lookup;
  }

  open(target: UpstreamTarget): Upstream {
    const url = URL.canParse(target.url) ? new URL(target.url) : undefined;
    if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "") {
      throw new RangeError(`"${target.url}" is not an upstream: expected an http or https URL without user info`);
    }
    const connect = target.managed
      ? { timeout: connectTimeoutMs, allowH2: false }
      : checkedConnector(this.#policy, this.#lookup);
    // Deadlines are the proxy's own: undici's are too coarse for them, and do not know whose fault a pause is.
    const pool = new Pool(url.origin, { connect, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false });
    return new UndiciUpstream(pool, url.pathname.replace(/\/+$/, ""));
  }
}
class UndiciUpstream implements Upstream {
  readonly #pool: Pool;
  readonly #basePath: string;

  constructor(pool: Pool, basePath: string) {
    this.#pool = pool;
    this.#basePath = basePath;
  }

  send(request: UpstreamRequest, receiver: UpstreamReceiver): void {
    const options: Dispatcher.DispatchOptions = {
      method: request.method as Dispatcher.HttpMethod,
      path: this.#basePath + request.path,
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

/** undici's handler as the port's receiver. */
class ReceiverHandler implements Dispatcher.DispatchHandler {
  readonly #receiver: UpstreamReceiver;

  constructor(receiver: UpstreamReceiver) {
    this.#receiver = receiver;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#receiver.onStart(new ControllerCall(controller));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    // 1xx are between the upstream and us.
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
    this.#controller.abort(new Error("the proxy gave the request up"));
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
