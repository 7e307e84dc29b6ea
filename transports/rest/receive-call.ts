import type { IncomingMessage } from "node:http";
import type { BufferBudget, Caller, RequestContext } from "@appserver/kernel";
import type { Authenticate, GraphqlCredentials } from "../graphql/context.ts";
import { parseJson, textOf } from "../http/json-body.ts";
import { leasedBody } from "../http/leased-body.ts";
import { NodeRequest } from "../http/node-request.ts";
import { requireJsonInput } from "../json-input.ts";

/** An authenticated caller and the parsed body. */
export interface ReceivedCall {
  readonly caller: Caller;
  readonly credentials: GraphqlCredentials;
  /** Undefined for methods without a body. */
  readonly body: unknown;
}

export interface ReceiveOptions {
  readonly authenticate: Authenticate;
  readonly budget: BufferBudget;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Whether the method has a body. Another method's body is ignored. */
  readonly hasBody: boolean;
}

/** Authenticates the caller, then reads the body. Its bytes count in the budget until it is parsed. */
export async function receiveCall(
  request: IncomingMessage,
  { remoteAddress }: RequestContext,
  { authenticate, budget, maxBodyBytes = 1_048_576, hasBody }: ReceiveOptions,
): Promise<ReceivedCall> {
  const inbound = new NodeRequest(request);
  const leased = leasedBody(inbound, maxBodyBytes, budget.lease(remoteAddress));
  const readBody = (appName: string) => (hasBody ? leased.readFor(appName) : new Uint8Array());
  try {
    const { method, target: url } = inbound;
    const credentials = { method, url, header: (name: string) => inbound.header(name), remoteAddress, readBody };
    const caller = await authenticate(credentials);
    if (caller.kind !== "anonymous") leased.prove();
    if (!hasBody) return { caller, credentials, body: undefined };
    const body = parseJson(textOf(await leased.read()), "the body");
    requireJsonInput(body, "the body");
    return { caller, credentials, body };
  } finally {
    leased.release();
  }
}
