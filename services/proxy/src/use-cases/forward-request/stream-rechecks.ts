import { disabledReason } from "@appserver/contracts/manifest";
import type { AppError, LiveConnections, MaybePromise, Permissions } from "@appserver/kernel";
import { Rejection } from "@appserver/kernel";
import type { Callers, ServedApps } from "../../ports.ts";
import { authorize } from "./authorize.ts";
import type { ProxiedRequest } from "./proxied-request.ts";

export interface StreamRechecksDeps {
  readonly apps: ServedApps;
  readonly authenticator: Callers;
  readonly permissions: Permissions;
  readonly connections: Pick<LiveConnections, "join">;
}

/** Repeats the checks of a request until the returned function is called. Calls `end` at most once, if one fails. */
export type StreamRechecks = (proxied: ProxiedRequest, end: (rejection: Rejection) => void) => () => void;

/** Ends proxied streams when their session, permission, key or app is no longer valid. */
export function streamRechecks({ apps, authenticator, permissions, connections }: StreamRechecksDeps): StreamRechecks {
  const stillAllowed = authorize(permissions);
  return (proxied, end) => {
    const { app } = proxied.match;
    const reauthenticate = reauthenticationOf(proxied, authenticator);
    return connections.join({
      caller: proxied.caller,
      app: app.name,
      check: async () => {
        refuseRemoved(apps, app.name);
        await reauthenticate();
        await stillAllowed(proxied);
      },
      end: (reason) => end(rejectionOf(reason)),
    });
  };
}

function reauthenticationOf(proxied: ProxiedRequest, authenticator: Callers): () => MaybePromise<void> {
  if (proxied.match.guard.isPublic) return () => {};
  return proxied.direct?.reauthenticate ?? authenticator.reauthentication(proxied, proxied.caller);
}

/** An app that is temporarily unhealthy keeps its connections. */
function refuseRemoved(apps: ServedApps, appName: string): void {
  if (!apps.isLoaded) return;
  const app = apps.find(appName);
  if (!app) throw new Rejection("NOT_FOUND", "app_unknown", "The app is not installed.");
  // Not SERVICE_UNAVAILABLE, which is a check that could not be made.
  if (!app.isServing && app.reason === disabledReason) {
    throw new Rejection("NOT_FOUND", "app_unavailable", "The app is disabled.");
  }
}

function rejectionOf(reason: AppError): Rejection {
  return reason instanceof Rejection
    ? reason
    : new Rejection("SERVICE_UNAVAILABLE", "identity_unavailable", reason.message, { cause: reason });
}
