import type { FlowAnswer, flowErrors } from "@appserver/contracts/sign-in";
import type { StoredSession } from "../sessions/session-table.ts";

/** A request of a page for a flow. */
export interface FlowRequest {
  readonly query: URLSearchParams;
  /** Of a form. Empty if the page begins or reads a flow. */
  readonly fields: URLSearchParams;
  /** The session that the browser has, and its token. */
  readonly current: { readonly session: StoredSession; readonly token: string } | undefined;
  /** The client's address, of IPv6 the first half. */
  readonly network: string;
  /** The origin at which the browser reaches the platform. */
  readonly origin: string;
  /** What the browser keeps of a sign-in that continues at a provider, or with the second factor. */
  readonly pending: string | undefined;
  /** What the browser keeps of the challenge that a passkey signs. */
  readonly challenge: string | undefined;
  /** The program and system of the client, as far as it says: `Firefox on Linux`. */
  readonly device: string;
}

export interface FlowReply {
  readonly status: number;
  readonly body: FlowAnswer;
  /** The token of a session that begins. */
  readonly token?: string;
  /** Where the browser goes. */
  readonly location?: string;
  /** What the browser keeps of a sign-in that continues; empty to forget it. */
  readonly pending?: string;
  /** What the browser keeps of the challenge that a passkey signs; empty to forget it. */
  readonly challenge?: string;
}

/** A kind of flow. */
export interface FlowHandler {
  /** Returns the form. */
  show(request: FlowRequest): Promise<FlowReply> | FlowReply;
  /** Takes what was filled in. */
  submit(request: FlowRequest): Promise<FlowReply>;
}

/** Returns a response with an error. Pages decide by its id what comes next. */
export function refusal(status: number, id: (typeof flowErrors)[keyof typeof flowErrors], reason: string): FlowReply {
  return { status, body: { error: { id, reason } } };
}

/** Returns the response that begins a session. */
export function signedIn(token: string): FlowReply {
  return { status: 200, body: { session: {} }, token, pending: "", challenge: "" };
}
