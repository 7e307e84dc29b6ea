/** Names of the events on the bus (docs/interface/events.md#types). The routing key equals the name. */
export const eventTypes = {
  appRegistered: "app.registered",
  appInstalled: "app.installed",
  appUninstalled: "app.uninstalled",
  appStateChanged: "app.state_changed",
  appUpgraded: "app.upgraded",
  appRolledBack: "app.rolled_back",
  deploymentStateChanged: "deployment.state_changed",
  hookTriggered: "hook.triggered",
  activityExecuted: "activity.executed",
  settingsUpdated: "settings.updated",
  permissionChanged: "permission.changed",
} as const;

export type EventType = (typeof eventTypes)[keyof typeof eventTypes];

/** Fields of every event body. Name and id of the app appear under both spellings. */
export interface EventBodyBase {
  readonly AppName: string;
  readonly app_name: string;
  readonly AppID: string;
  readonly app_id: string;
  /** Version of the app. */
  readonly version: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly timestamp: string;
}

/** Fields of each event type in addition to {@link EventBodyBase}. */
export interface EventPayloads {
  "app.registered": { readonly manifestDigest: string; readonly isUpdate: boolean };
  "app.installed": {
    readonly image: string;
    readonly stage: string;
    readonly generation: number;
    readonly actor: string | null;
  };
  "app.uninstalled": { readonly purgeData: boolean; readonly actor: string | null };
  "app.state_changed": { readonly from: string | null; readonly to: string; readonly reason: string };
  "app.upgraded": { readonly fromVersion: string; readonly toVersion: string; readonly actor: string | null };
  "app.rolled_back": { readonly fromVersion: string; readonly toVersion: string; readonly actor: string | null };
  "deployment.state_changed": {
    readonly deploymentId: string;
    readonly from: string | null;
    readonly to: string;
    readonly healthStatus: string;
    readonly endpoint: string | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  };
  "hook.triggered": {
    readonly hookId: string;
    readonly hookName: string;
    readonly sourceApp: string | null;
    readonly data: unknown;
  };
  "activity.executed": {
    readonly activity: string;
    readonly runId: string;
    readonly status: string;
    readonly attempt: number;
    readonly durationMs: number;
    readonly error: { readonly code: string; readonly message: string } | null;
  };
  "settings.updated": { readonly keys: readonly string[]; readonly actor: string | null };
  "permission.changed": { readonly subject: string; readonly object: string };
}

export type EventBody<T extends EventType> = EventBodyBase & EventPayloads[T];

/** The app that an event is about. A missing field is undefined. */
export interface EventApp {
  readonly name: string | undefined;
  readonly id: string | undefined;
}

/** Reads `AppName` or `app_name`, and `AppID` or `app_id` (docs/interface/events.md#body). */
export function readEventApp(body: Readonly<Record<string, unknown>>): EventApp {
  return { name: firstText(body["AppName"], body["app_name"]), id: firstText(body["AppID"], body["app_id"]) };
}

/** Builds a body with both spellings of the app's name and id. */
export function eventBody<T extends EventType>(
  app: { readonly name: string; readonly id: string; readonly version: string },
  timestamp: string,
  payload: EventPayloads[T],
): EventBody<T> {
  return {
    AppName: app.name,
    app_name: app.name,
    AppID: app.id,
    app_id: app.id,
    version: app.version,
    timestamp,
    ...payload,
  };
}

/** Exchange of all events (docs/interface/events.md#broker-layout). */
export const eventExchange = "appserver.events";
export const serverQueuePrefix = "appserver.subscriber.";
export const orchestratorQueuePrefix = "orchestrator.subscriber.";

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}
