import { Rejection } from "@appserver/kernel";
import type { UnavailableApp } from "../../ports.ts";

/** Returns the rejection of requests to an installed app that does not serve (docs/interface/proxy.md#paths). */
export function unavailable({ reason, retryAfterSeconds }: UnavailableApp): Rejection {
  return new Rejection("SERVICE_UNAVAILABLE", "app_unavailable", `The app does not serve at the moment: ${reason}.`, {
    retryAfterSeconds,
    details: { reason, retry_after: retryAfterSeconds },
  });
}
