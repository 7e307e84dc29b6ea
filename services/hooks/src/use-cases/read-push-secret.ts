import { pushKey, webhookSecret } from "@appserver/contracts/webhooks";
import { AppError, type Call } from "@appserver/kernel";

import type { HooksContext } from "./context.ts";

/** Returns the secret that verifies POSTs to the calling app. Throws PERMISSION_DENIED for callers that are not apps. */
export function readPushSecret({ platformKeys }: HooksContext, { caller }: Call): string {
  const [platformKey] = platformKeys;
  if (caller.kind !== "app" || !platformKey) throw new AppError("PERMISSION_DENIED", "only an app can read its push secret");
  return webhookSecret(pushKey(platformKey, caller.name));
}
