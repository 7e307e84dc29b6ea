import type { PlatformClient, SignedManifest } from "@appserver/sdk";
import type { GraphqlAnswer } from "@appserver/testing/kit";

/** A running platform whose apps get new code while they run. */
export interface SwitchPlatform {
  /** Of every server. */
  readonly httpUrls: readonly string[];
  /** Returns the whole response to a query of the administrator. */
  graphql(query: string, variables?: object): Promise<GraphqlAnswer>;
  /** gRPC as the administrator. */
  client(): PlatformClient;
  /** Registers an app as its developer would. */
  register(app: SignedManifest): Promise<unknown>;
  /** Makes the code in the folder the newest image of the app. Containers that run do not change. */
  publish(appName: string, folder: string): Promise<void>;
  /** Returns the ids of the app's running containers. */
  running(appName: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Options of every platform in this folder, as variables of its processes. */
export function switchOptions(drainTimeoutMs: number): Readonly<Record<string, string>> {
  return {
    APPSERVER_APPS_SETTLE_TIME: "1s",
    APPSERVER_CONTAINERS_IMAGE_CLEANUP_INTERVAL: "2s",
    APPSERVER_APPS_DRAIN_TIMEOUT: `${drainTimeoutMs}ms`,
  };
}
