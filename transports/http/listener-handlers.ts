import type { Exposition } from "@appserver/kernel/ports";
import type { Ui } from "@appserver/ui";
import type { DevLogin } from "./dev-login.ts";
import type { HealthChecks } from "./health-checks.ts";
import type { MetricsAccessOptions } from "./metrics-access.ts";
import type { RawHandler } from "./request-context.ts";

/** The handlers that need services. */
export interface ServiceHandlers {
  /** `/apps/{appName}/assets/{assetName}` and `/assets/{appId}/{assetPath}` */
  readonly ui: Pick<Ui["http"], "handle">;
  /** `/api/apps/*`. It logs its requests itself. */
  readonly proxy: RawHandler;
  /** `/graphql` */
  readonly graphql: RawHandler;
  /** `/api/v2/*` */
  readonly rest: RawHandler;
}

/** The handlers of the listener, by path. */
export interface ListenerHandlers {
  readonly health: HealthChecks;
  /** The handlers to serve; other paths are 404. If absent, {@link HttpListener.serve} sets all of them later. */
  readonly services?: Partial<ServiceHandlers>;
  /** `/metrics`, if {@link metricsAccess} is given. */
  readonly scrape?: () => Promise<Exposition>;
  /** Access rules of `/metrics`. */
  readonly metricsAccess?: MetricsAccessOptions;
  /** `/dev/login`. Only in development. */
  readonly devLogin?: DevLogin;
}
