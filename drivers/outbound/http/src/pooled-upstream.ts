import type { HeaderBlock } from "@appserver/kernel";
import type { Upstream, UpstreamFailure, UpstreamReceiver, UpstreamRequest } from "@appserver/kernel/ports";
import { KnownHeads } from "./known-heads.ts";
import type { OnRead, OpenSocket } from "./open-socket.ts";
import { type ConnectionOwner, UpstreamConnection, type WireRequest } from "./upstream-connection.ts";
import { ConnectionLost, failureToConnect } from "./upstream-failure.ts";

/** How long an idle connection is kept if the backend does not say it. */
const keepAliveMs = 4_000;
/** The longest time for which an idle connection is kept. */
const maxKeepAliveMs = 60_000;
/** A backend may close an idle connection as much earlier than it says. */
const keepAliveMarginMs = 1_000;

/** Values that a request cannot contain: controls, and characters that are not one byte. */
const badValue = /[^\t\x20-\x7e\x80-\xff]/;

/** Methods that change nothing (RFC 9110 §9.2.1). */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns whether the backend may get the request twice: nothing depends on how often it does, and there is no body to send again. */
function isRepeatable({ method, body }: WireRequest): boolean {
  return safeMethods.has(method) && (body === undefined || (body instanceof Uint8Array && body.length === 0));
}

/** Called in place of `receiver.onError` if another backend may get the request. */
export type OnElsewhere = (failure: UpstreamFailure) => void;

/** The connections to one backend: as many as requests run, and those that are idle. */
export class PooledUpstream implements Upstream, ConnectionOwner {
  readonly host: string;
  readonly #open: OpenSocket;
  /** The path of the upstream's URL as written. */
  readonly #root: string;
  /** Without a trailing slash. */
  readonly #basePath: string;
  readonly #onIdle: ((upstream: PooledUpstream) => void) | undefined;
  /** The most recently used is the last. */
  readonly #idle: UpstreamConnection[] = [];
  readonly #connections = new Set<UpstreamConnection>();
  readonly #heads = new KnownHeads();
  /** Connections that are being opened. */
  #opening = 0;
  /** Set by the connections. */
  hasRead = false;
  /** Set when {@link close} was called. */
  #closing: PromiseWithResolvers<void> | undefined;
  /** Whether the grace of {@link close} is over. */
  #isAborted = false;

  /**
   * `onIdle` is called when a connection becomes idle: {@link sweep} must be called a while later. Without it, each connection
   * carries one request.
   */
  constructor(url: URL, open: OpenSocket, onIdle?: (upstream: PooledUpstream) => void) {
    this.#open = open;
    this.host = url.host;
    this.#root = url.pathname;
    this.#basePath = url.pathname.replace(/\/+$/, "");
    this.#onIdle = onIdle;
  }

  target(path: string): string {
    return (path.startsWith("/") ? this.#basePath : this.#root) + path;
  }

  /** Connections that are open or being opened, without those that are idle. */
  get busy(): number {
    return this.#connections.size + this.#opening - this.#idle.length;
  }

  /**
   * `onElsewhere` is called if the request gets no connection, so that nothing of it was sent; and if it may be repeated and was
   * {@link giveUp given up}.
   */
  send(request: UpstreamRequest, receiver: UpstreamReceiver, onElsewhere?: OnElsewhere): void {
    const wire = this.#closing ? undefined : this.#wireRequest(request);
    if (!wire) {
      const cause = this.#closing ? new ConnectionLost("the upstream is closed") : new RangeError("a header cannot be sent");
      receiver.onError({ kind: "unsent", cause });
      return;
    }
    const connection = wire.maySwitch ? undefined : this.#takeIdle();
    if (!connection) this.#connect(wire, receiver, onElsewhere);
    else if (isRepeatable(wire)) connection.send(wire, receiver, () => this.#connect(wire, receiver, onElsewhere), onElsewhere);
    else connection.send(wire, receiver);
  }

  /** Returns whether requests wait for a response and the backend has sent nothing at all since the last call. */
  isSilent(): boolean {
    const { hasRead } = this;
    this.hasRead = false;
    if (hasRead) return false;
    for (const { isUnanswered } of this.#connections) if (isUnanswered) return true;
    return false;
  }

  /** Opens a connection and keeps it for the next request. Resolves with the failure. */
  reach(): Promise<UpstreamFailure | undefined> {
    const { promise, resolve } = Promise.withResolvers<UpstreamFailure | undefined>();
    this.#openConnection(true, (opened) => {
      if (opened instanceof UpstreamConnection) this.onIdle(opened);
      resolve(opened instanceof UpstreamConnection ? undefined : opened);
    });
    return promise;
  }

  /** Lets other backends get the requests that may be repeated and have no byte of a response yet. */
  giveUp(failure: UpstreamFailure): void {
    for (const connection of [...this.#connections]) connection.giveUp(failure);
  }

  async close(graceMs?: number): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    const { promise: closed } = this.#closing;
    for (const connection of this.#idle.splice(0)) connection.socket.destroy();
    this.#settleClose();
    if (graceMs === undefined) return closed;
    const timer = setTimeout(() => {
      this.#isAborted = true;
      for (const { socket } of this.#connections) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(timer);
  }

  /** Closes the connections that are idle for too long. Returns whether idle ones are left. `now` is monotonic. */
  sweep(now: number): boolean {
    const idle = this.#idle;
    const kept = idle.filter(({ idleUntil }) => idleUntil > now);
    if (kept.length < idle.length) {
      for (const { idleUntil, socket } of idle) if (idleUntil <= now) socket.destroy();
      idle.splice(0, idle.length, ...kept);
    }
    return kept.length > 0;
  }

  onIdle(connection: UpstreamConnection): void {
    if (this.#closing || !this.#onIdle) {
      connection.socket.destroy();
      return;
    }
    const hint = connection.keepAliveMs;
    const keptMs = hint === undefined ? keepAliveMs : Math.min(hint - keepAliveMarginMs, maxKeepAliveMs);
    connection.idleUntil = performance.now() + keptMs;
    this.#idle.push(connection);
    if (this.#idle.length === 1) this.#onIdle(this);
  }

  onClose(connection: UpstreamConnection): void {
    this.#connections.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#settleClose();
  }

  #takeIdle(): UpstreamConnection | undefined {
    const now = performance.now();
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      // A connection that the backend has just closed is still in the list.
      if (connection.idleUntil > now && !connection.socket.destroyed) return connection;
      connection.socket.destroy();
    }
    return undefined;
  }

  #connect(wire: WireRequest, receiver: UpstreamReceiver, onElsewhere?: OnElsewhere): void {
    this.#openConnection(!wire.maySwitch, (opened) => {
      if (opened instanceof UpstreamConnection) {
        opened.send(wire, receiver, undefined, isRepeatable(wire) ? onElsewhere : undefined);
      } else if (opened.kind === "unreachable" && onElsewhere) onElsewhere(opened);
      else receiver.onError(opened);
    });
  }

  #openConnection(mayKeep: boolean, callback: (opened: UpstreamConnection | UpstreamFailure) => void): void {
    let connection: UpstreamConnection | undefined;
    this.#opening += 1;
    const onRead: OnRead = (bytes, mayKeep) => connection?.read(bytes, mayKeep) ?? "shared";
    this.#open(mayKeep ? onRead : undefined, (error, opened) => {
      this.#opening -= 1;
      if (opened === null || this.#isAborted) {
        opened?.socket.destroy();
        const cause = new ConnectionLost("the upstream is closed");
        callback(error ? failureToConnect(error) : { kind: "unsent", cause });
        this.#settleClose();
        return;
      }
      const { socket, isStream } = opened;
      connection = new UpstreamConnection(socket, this, this.#heads);
      this.#connections.add(connection);
      if (isStream) socket.on("data", (bytes: Buffer) => void connection?.read(bytes, true));
      callback(connection);
    });
  }

  /** Returns undefined if a value cannot be sent. */
  #wireRequest({ method, path, shared, headers, body, upgrade }: UpstreamRequest): WireRequest | undefined {
    const target = this.target(path);
    if (badValue.test(target)) return undefined;
    const connection = upgrade === undefined ? "keep-alive" : `upgrade\r\nupgrade: ${upgrade}`;
    const sharedText = shared ? textOf(shared) : "";
    if (sharedText === undefined) return undefined;
    let head = `${method} ${target} HTTP/1.1\r\nhost: ${this.host}\r\nconnection: ${connection}\r\n${sharedText}`;
    let declaredLength: number | undefined;
    for (let i = 0; i < headers.length; i += 2) {
      const [name, value] = [headers[i] as string, headers[i + 1] as string];
      if (badValue.test(value)) return undefined;
      if (name === "content-length") declaredLength = Number(value);
      else head += `${name}: ${value}\r\n`;
    }
    return { method, head, body, declaredLength, maySwitch: upgrade !== undefined };
  }

  #settleClose(): void {
    if (this.#connections.size + this.#opening === 0) this.#closing?.resolve();
  }
}

/** Returns undefined if a value cannot be sent. */
function textOf(shared: HeaderBlock): string | undefined {
  try {
    return shared.lines.text;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
