import type { Duplex } from "node:stream";
import type { HeaderBlock } from "../header-block.ts";
import type { BodySource } from "../inbound-request.ts";

/**
 * HTTP from the platform to the backends of apps. A connection to a backend that the platform does not run is opened only if the
 * resolved address is allowed and it has no protected endpoint (docs/interface/proxy.md#upstream-addresses). Redirects are
 * never followed, because a backend must not redirect the platform to another address.
 */
export interface Outbound {
  /** Opens a connection pool to one backend, for streaming. Throws RangeError if the URL is not valid for an upstream. */
  open(target: UpstreamTarget): Upstream;
  /** Opens an upstream whose connections `dial` opens, one for each request. A failure of a connection is an error of its stream. */
  openOver(dial: () => Duplex): Upstream;
  /**
   * Posts a message. Rejects if there is no response in time, and with RangeError if `path` leads to another host or out of the
   * base. The body of the response is ignored.
   */
  post(target: UpstreamTarget, path: string, message: OutboundMessage, timeoutMs: number): Promise<PostResponse>;
  /**
   * Posts a message and reads the response. Rejects as {@link post}, without the whole response in time, and when the signal aborts.
   * Of a larger body it reads `maxBytes`, and closes the connection.
   */
  ask(target: UpstreamTarget, path: string, message: OutboundMessage, limits: AnswerLimits): Promise<ReadDocument>;
  /**
   * Sends a GET to a backend that the platform does not run. Returns undefined on a response of 2xx or 3xx in time, else the
   * problem. Never rejects.
   */
  probe(url: string, timeoutMs: number): Promise<string | undefined>;
  /**
   * Reads a small document, by default of a server that the platform does not run. Rejects if the whole body is not there in time, or has
   * more than `maxBytes`.
   */
  get(url: string, limits: DocumentRequest): Promise<ReadDocument>;
  /** Returns whether the rules allow the IP address. Protected endpoints are not considered. False for other texts. */
  allowsAddress(address: string): boolean;
  /** Aborts posts, probes and reads in progress. Upstreams stay open until their own `close`. */
  close(): Promise<void>;
}

/** Rules for the addresses of backends that the platform does not run. */
export interface AddressRules {
  /** CIDR ranges within the private ranges that are allowed for apps. */
  readonly allow: readonly string[];
  /** CIDR ranges or addresses that are never allowed for apps. */
  readonly deny: readonly string[];
  /** For development. */
  readonly allowLoopback: boolean;
}

/** Where the platform itself, or something that it depends on, listens. */
export interface Endpoint {
  /** Name or address. An address of this machine stands for all of its addresses. */
  readonly host: string;
  /** Undefined: every port. */
  readonly port?: number;
}

export interface DocumentLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface DocumentRequest extends DocumentLimits {
  /** Whether the platform runs the server. It then chose the address itself, so the address needs no check. */
  readonly managed?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnswerLimits extends DocumentLimits {
  readonly signal: AbortSignal;
}

export interface ReadDocument {
  readonly status: number;
  readonly body: Uint8Array;
}

export interface UpstreamTarget {
  /** Base URL: `http://127.0.0.1:43211`, or the manifest's `upstream_base_url`. */
  readonly url: string;
  /** Whether the platform runs the upstream. It then chose the address itself, so the address needs no check. */
  readonly managed: boolean;
  /**
   * Of the instances of an upstream that the platform runs, at least one: `10.244.1.7:3000`. Connections go to them, and the host of the
   * URL is only named in requests, unless none of them accepts connections. Undefined: connections go to the URL.
   */
  readonly addresses?: readonly string[] | undefined;
}

export interface OutboundMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** One app's upstream. Its connections are not shared with other apps. */
export interface Upstream {
  /**
   * Sends one request. The receiver gets every outcome, including errors. Never throws. GET, HEAD and OPTIONS without a body and
   * without `upgrade` are sent once more, on a new connection, if they were sent on a reused connection that ended before the
   * first byte of a response. With several addresses, a request that got no connection to one is tried once on another one, and then
   * at the host of the URL. Nothing else is sent twice.
   */
  send(request: UpstreamRequest, receiver: UpstreamReceiver): void;
  /**
   * Replaces the addresses that the upstream was opened with. Running requests end where they are. Present if it was opened with
   * addresses.
   */
  follow?(addresses: readonly string[]): void;
  /** The host that the backend receives, with its port unless that is the default one of the scheme. */
  readonly host: string;
  /** Returns the path and query that the backend receives for the `path` of a request. */
  target(path: string): string;
  /** Waits for running requests, then closes. With a grace (milliseconds), aborts requests that take longer. */
  close(graceMs?: number): Promise<void>;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query below the upstream's base path. Empty, or only a query, for the base path itself exactly as written. */
  readonly path: string;
  /** Sent first. Without `content-length`. */
  readonly shared?: HeaderBlock | undefined;
  /** Names and values, alternating. */
  readonly headers: string[];
  /** One that ends with an error whose `code` is `REQUEST_BODY` fails the call with the kind `body`. It is stopped when the call ends. */
  readonly body: BodySource | Uint8Array | undefined;
  /** The protocol to switch to. */
  readonly upgrade?: string;
}

/** Names in lower case and values, alternating, as the upstream sent them. Several responses may have the same list. */
export type UpstreamHeaders = readonly string[];

export interface UpstreamReceiver {
  /** Called when the request has a connection. Called again, with another call, if it is sent once more. */
  onStart(call: UpstreamCall): void;
  /**
   * Called with the final status and its headers. Interim responses (1xx) are dropped. `derived` is what receivers have derived from
   * the head, each with a key of its own: the next response with the same head gets it. Undefined where nothing is kept.
   */
  onHead(status: number, headers: UpstreamHeaders, derived?: Map<object, unknown>): void;
  /**
   * Returns whether it keeps the chunk: otherwise the memory of the chunk may be used again at once. Unless it `mayKeep` the chunk, it
   * copies what it needs of it.
   */
  onData(chunk: Buffer, mayKeep: boolean): boolean;
  onEnd(): void;
  /** Called when the upstream switched protocols. The receiver then owns the socket. */
  onUpgrade(headers: UpstreamHeaders, socket: Duplex): void;
  /** Called when the call fails. This ends the call at any point, also before `onStart`. */
  onError(error: UpstreamFailure): void;
}

export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** Aborts the call. The receiver is not called again. */
  abort(): void;
}

/**
 * The failure of a call. `cause` has the full error. `unreachable`: there is no connection, for a cause that no request has.
 * `unsent`: the platform did not try, because it has no socket left, the upstream is closed, or a header cannot be sent.
 */
export interface UpstreamFailure {
  readonly kind: "denied" | "unreachable" | "unsent" | "reset" | "protocol" | "body";
  readonly cause: unknown;
}
