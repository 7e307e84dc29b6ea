import { createHash } from "node:crypto";
import { AppError, actorOf, invalidField, type RestCall, type RestReply, type RestRoute } from "@appserver/kernel";
import type { IdempotencyKeys, IdempotentRequest } from "@appserver/kernel/ports";
import { HttpStatusError } from "../http/error-response.ts";

/** Visible characters. */
const validKey = /^[\x21-\x7e]{1,255}$/;

/** The JSON schema of an `Idempotency-Key`. */
export const idempotencyKeySchema: object = { type: "string", pattern: validKey.source };

/** The header of a response that the first request has had already. */
export const replayedHeader = {
  "Idempotency-Replayed": { description: "true: the response of the first request with this key", isRequired: false },
} as const;

/**
 * Handles a request with an `Idempotency-Key` at most once (docs/interface/rest.md#idempotency). A request that was refused or
 * failed has changed nothing, so it may be repeated with its key. Anonymous callers share one name, so their keys do not count.
 */
export async function handleOnce(keys: IdempotencyKeys, route: RestRoute, call: RestCall): Promise<RestReply> {
  const key = call.header("idempotency-key");
  if (key === undefined || route.method === "GET" || call.caller.kind === "anonymous") return await route.handle(call);
  if (!validKey.test(key)) throw invalidField("Idempotency-Key", "must have 1 to 255 visible ASCII characters");
  const request = { caller: actorOf(call.caller), key, digest: digestOf(route, call) };
  const begun = await keys.begin(request);
  switch (begun.outcome) {
    case "first":
      return await complete(keys, request, begun.claim, () => route.handle(call));
    case "repeated":
      return replayed(begun.response);
    case "in_flight":
      throw new AppError("CONFLICT", "the first request with this Idempotency-Key is not done yet; repeat it later");
    case "other_request":
      throw new HttpStatusError(
        422,
        new AppError("INVALID_REQUEST", "this Idempotency-Key was used for a request with another content"),
      );
  }
}

async function complete(
  keys: IdempotencyKeys,
  request: IdempotentRequest,
  claim: string,
  handle: () => Promise<RestReply>,
): Promise<RestReply> {
  try {
    const reply = await handle();
    if (reply.error) await keys.abandon(request, claim);
    else await keys.complete(request, claim, JSON.stringify(reply));
    return reply;
  } catch (error) {
    // Otherwise the key would stay taken for two minutes.
    await keys.abandon(request, claim).catch(() => {});
    throw error;
  }
}

function replayed(response: string): RestReply {
  const reply = JSON.parse(response) as RestReply;
  return { ...reply, headers: { ...reply.headers, "idempotency-replayed": "true" } };
}

function digestOf({ method }: RestRoute, { target, body }: RestCall): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify([method, target, body]))
    .digest();
}
