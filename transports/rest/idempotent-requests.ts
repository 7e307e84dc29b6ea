import { createHash } from "node:crypto";
import {
  AppError,
  actorOf,
  invalidField,
  type Logger,
  type RestCall,
  type RestReply,
  type RestRoute,
  runKeyedWork,
} from "@appserver/kernel";
import type { IdempotencyKeys, KeyedWork } from "@appserver/kernel/ports";
import { HttpStatusError } from "../http/error-response.ts";

/** Visible characters. */
const validKey = /^[\x21-\x7e]{1,255}$/;

/** The JSON schema of an `Idempotency-Key`. */
export const idempotencyKeySchema: object = { type: "string", pattern: validKey.source };

/** The header of a response to a request whose work an earlier one has done. */
export const replayedHeader = {
  "Idempotency-Replayed": { description: "true: an earlier request with this key has done the work", isRequired: false },
} as const;

/**
 * Handles a request with an `Idempotency-Key` at most once (docs/interface/rest.md#idempotency). Anonymous callers share one name, so
 * their keys do not count.
 */
export async function handleOnce(
  { idempotencyKeys: keys, logger }: { readonly idempotencyKeys: IdempotencyKeys; readonly logger: Logger },
  route: RestRoute,
  call: RestCall,
): Promise<RestReply> {
  const key = call.header("idempotency-key");
  if (key === undefined || route.method === "GET" || call.caller.kind === "anonymous") return await route.handle(call);
  if (!validKey.test(key)) throw invalidField("Idempotency-Key", "must have 1 to 255 visible ASCII characters");
  const begun = await keys.begin({ caller: actorOf(call.caller), key, digest: digestOf(route, call) });
  const handle = (work: KeyedWork) => runKeyedWork(work, () => route.handle(call));
  switch (begun.outcome) {
    case "first":
      return await firstReply(keys, begun.work, handle, logger);
    case "done":
      return replayed(await handle(begun.work));
    case "in_flight":
      throw new HttpStatusError(
        409,
        new AppError(
          "CONFLICT",
          "the first request with this Idempotency-Key is not done yet, or its outcome is not known yet; repeat it in a second",
        ),
        { "retry-after": "1" },
      );
    case "other_request":
      throw new HttpStatusError(
        422,
        new AppError("INVALID_REQUEST", "this Idempotency-Key was used for a request with another content"),
      );
  }
}

async function firstReply(
  keys: IdempotencyKeys,
  work: KeyedWork,
  handle: (work: KeyedWork) => Promise<RestReply>,
  logger: Logger,
): Promise<RestReply> {
  let reply: RestReply;
  try {
    reply = await handle(work);
  } catch (error) {
    await keys.fail(work);
    throw error;
  }
  if (reply.error) await keys.fail(work);
  else
    await keys.complete(work).catch((error: unknown) => {
      // The work is recorded. A repeated request finds it when the claim has expired.
      logger.warn({ err: error }, "rest: storing the end of a request with a key failed");
    });
  return reply;
}

function replayed(reply: RestReply): RestReply {
  return { ...reply, headers: { ...reply.headers, "idempotency-replayed": "true" } };
}

function digestOf({ method }: RestRoute, { target, body }: RestCall): Uint8Array {
  return createHash("sha256")
    .update(JSON.stringify([method, target, body]))
    .digest();
}
