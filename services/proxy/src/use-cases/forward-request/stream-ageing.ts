import { disabledReason } from "@appserver/contracts/manifest";
import type { AppError, LiveConnections, Permissions } from "@appserver/kernel";
import { Refusal } from "@appserver/kernel";
import type { Callers, ServedApps } from "../../ports.ts";
import { authorize } from "./authorize.ts";
import type { Exchange } from "./exchange.ts";

export interface StreamAgeingDeps {
  readonly apps: ServedApps;
  readonly authenticator: Callers;
  readonly permissions: Permissions;
  readonly connections: Pick<LiveConnections, "join">;
}

/** Ends proxied streams when their session, permission, key or app is no longer valid. */
export class StreamAgeing {
  readonly #deps: StreamAgeingDeps;

  constructor(deps: StreamAgeingDeps) {
    this.#deps = deps;
  }

  /** Repeats the checks of the exchange until the returned function is called. `end` is called at most once. */
  join(exchange: Exchange, end: (refusal: Refusal) => void): () => void {
    const { apps, authenticator, permissions, connections } = this.#deps;
    const { app, guard } = exchange.match;
    const standing = guard.isPublic ? () => {} : authenticator.standing(exchange, exchange.caller);
    const stillAllowed = authorize(permissions);
    return connections.join({
      caller: exchange.caller,
      app: app.name,
      check: async () => {
        refuseRemoved(apps, app.name);
        await standing();
        await stillAllowed(exchange);
      },
      end: (reason) => end(refusalOf(reason)),
    });
  }
}

/** An app that is temporarily unhealthy keeps its connections. */
function refuseRemoved(apps: ServedApps, appName: string): void {
  if (!apps.isLoaded) return;
  const app = apps.find(appName);
  if (!app) throw new Refusal("NOT_FOUND", "app_unknown", "The app is not installed.");
  // Not SERVICE_UNAVAILABLE, which is a check that could not be made.
  if (!app.isServing && app.reason === disabledReason) {
    throw new Refusal("NOT_FOUND", "app_unavailable", "The app is disabled.");
  }
}

function refusalOf(reason: AppError): Refusal {
  return reason instanceof Refusal
    ? reason
    : new Refusal("SERVICE_UNAVAILABLE", "identity_unavailable", reason.message, { cause: reason });
}
