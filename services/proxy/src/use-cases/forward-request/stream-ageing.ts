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
        // An app that is temporarily unhealthy keeps its connections. An uninstalled app has no routes.
        if (apps.isLoaded && !apps.find(app.name)) throw new Refusal("NOT_FOUND", "app_unknown", "The app is not installed.");
        await standing();
        await stillAllowed(exchange);
      },
      end: (reason) => end(refusalOf(reason)),
    });
  }
}

function refusalOf(reason: AppError): Refusal {
  return reason instanceof Refusal
    ? reason
    : new Refusal("SERVICE_UNAVAILABLE", "identity_unavailable", reason.message, { cause: reason });
}
