import type { Branding } from "@appserver/contracts/branding";
import { BufferBudget } from "@appserver/kernel";
import type { ServerLimits } from "@appserver/transports/http";
import type { DevConfig } from "../config/dev-config.ts";
import type { ServerOptions } from "./server-options.ts";

/** The options that `serve` and `dev` share. */
type SharedConfig = Omit<
  DevConfig,
  "containers" | "dev" | "apps" | "database" | "drivers" | "driverEndpoints" | "metrics" | "telemetry" | "warnings"
> & {
  readonly apps: Pick<DevConfig["apps"], "sleepAfterMs" | "wakeTimeoutMs" | "publicWakes" | "publicWakesPerAddress">;
};

type ConfiguredOptions = Pick<
  ServerOptions,
  | "budget"
  | "groupMap"
  | "hooksPolicy"
  | "configuredTargets"
  | "retention"
  | "maxQueuedRunsPerApp"
  | "sessionCacheTtlMs"
  | "forwardSession"
  | "maxBodyBytes"
  | "maxForwardedBytes"
  | "graphqlMaxBodyBytes"
  | "assets"
  | "queuePrefix"
  | "optionReport"
  | "sleepAfterMs"
  | "wakeTimeoutMs"
  | "publicWakes"
>;

/** Returns the part of the server's options that is the same in every process. */
export function configuredOptions(config: SharedConfig): ConfiguredOptions {
  const { server, auth, identity, proxy, cache, assets, graphql, hooks, activity, permissions, retention, broker, apps } =
    config;
  const { mailTo, webhookUrl, webhookSecret, slackUrl } = config.notifications;
  return {
    budget: new BufferBudget({ totalBytes: server.maxBufferedBytes }),
    groupMap: identity.groups,
    hooksPolicy: {
      retry: { delaysMs: hooks.retryDelaysMs },
      answerTimeoutMs: hooks.timeoutMs,
      onCreateTimeoutMs: hooks.timeoutMs,
      maxWaitingPerApp: hooks.maxWaitingPerApp,
      subscribeNeedsPermission: permissions.crossAppApproval === "always",
    },
    configuredTargets: {
      mailTo,
      webhook: webhookUrl === undefined || webhookSecret === undefined ? undefined : { url: webhookUrl, secret: webhookSecret },
      slackUrl,
    },
    retention: {
      auditLogMs: retention.auditLogMs,
      appHistoryMs: retention.appHistoryMs,
      deploymentsMs: retention.deploymentsMs,
      deadLettersMs: retention.deadLettersMs,
    },
    maxQueuedRunsPerApp: activity.maxQueuedRunsPerApp,
    sessionCacheTtlMs: auth.sessionCacheTtlMs,
    forwardSession: proxy.forwardSession,
    maxBodyBytes: server.maxBodyBytes,
    maxForwardedBytes: proxy.maxForwardedBytes,
    graphqlMaxBodyBytes: graphql.maxBodyBytes,
    assets: { cacheBytes: cache.maxSizeBytes, cacheTtlMs: cache.ttlMs, unversionedCache: assets.unversionedCache },
    queuePrefix: broker.serverQueuePrefix,
    optionReport: config.report,
    sleepAfterMs: apps.sleepAfterMs,
    wakeTimeoutMs: apps.wakeTimeoutMs,
    publicWakes: { perAddress: apps.publicWakesPerAddress, inAll: apps.publicWakes },
  };
}

/** Returns what the pages of the platform show of those who run it. */
export function brandingOf({ name, logo, accent }: SharedConfig["branding"]): Branding {
  return { name, logo, accent };
}

export function limitsOf(server: SharedConfig["server"]): ServerLimits {
  return {
    headersTimeoutMs: server.headerTimeoutMs,
    readTimeoutMs: server.readTimeoutMs,
    writeTimeoutMs: server.writeTimeoutMs,
    idleTimeoutMs: server.idleTimeoutMs,
    maxHeaderBytes: server.maxHeaderBytes,
    maxConcurrentStreams: server.maxConcurrentStreams,
    maxConnectionAgeMs: server.maxConnectionAgeMs,
  };
}
