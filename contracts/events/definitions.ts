/** The state of observers that an event can change. Each observer subscribes to one of these, never to a separate list. */
export const eventEffects = {
  apps: "what a replica keeps in memory of an app: routes, keys, assets",
  appStates: "the state of an app, which follows its deployment",
  appSubscription: "what clients see of an app through `appStateChanged`",
  permissions: "which permissions a caller has",
  settings: "the settings of an app, or their schema",
  containers: "which containers should run",
  hookSources: "from which other apps an app may receive hooks",
  hookSubscription: "which triggers clients see through `hookTriggered`",
} as const;

export type EventEffect = keyof typeof eventEffects;

/** Types of the fields of a body. */
export interface EventFieldTypes {
  readonly text: string;
  readonly "text or null": string | null;
  readonly texts: readonly string[];
  readonly number: number;
  readonly boolean: boolean;
  readonly json: unknown;
  readonly "error or null": { readonly code: string; readonly message: string } | null;
  /** A scope whose owner is null belongs to the platform. */
  readonly scopes: readonly { readonly scope: string; readonly owner: string | null }[];
}

export interface EventField {
  readonly type: keyof EventFieldTypes;
  readonly meaning: string;
}

/** Fields of every event body. Name and id of the app appear under both spellings. */
export const eventBodyFields = {
  AppName: { type: "text", meaning: "name of the app" },
  app_name: { type: "text", meaning: "the same value; consumers accept either name" },
  AppID: { type: "text", meaning: "id of the app (UUIDv7)" },
  app_id: { type: "text", meaning: "the same value; consumers accept either name" },
  version: { type: "text", meaning: "version of the app" },
  timestamp: { type: "text", meaning: "RFC 3339, UTC, milliseconds" },
} as const;

export interface EventDefinition {
  /** When it is emitted. */
  readonly emitted: string;
  /** Empty if the event is only for people and other programs. */
  readonly affects: readonly EventEffect[];
  /** Fields of the body in addition to {@link eventBodyFields}. */
  readonly fields: Readonly<Record<string, EventField>>;
}

/**
 * Every event on the bus by its type, which is also the routing key (docs/interface/events.md#types). The types of the bodies,
 * the lists of observed events and `docs/reference/events.md` follow from these definitions.
 */
export const eventDefinitions = {
  "app.registered": {
    emitted: "after the manifest is stored",
    affects: ["apps", "appSubscription", "settings"],
    fields: {
      manifestDigest: { type: "text", meaning: "SHA-256 of the manifest, hex" },
      isUpdate: { type: "boolean", meaning: "whether the name was registered before" },
    },
  },
  "app.installed": {
    emitted: "with the INSTALLED state, in the same transaction",
    affects: ["apps", "permissions", "containers"],
    fields: {
      image: { type: "text", meaning: "image reference of the app's container" },
      stage: {
        type: "text or null",
        meaning: "image stage: latest, pre-release or testing, or null if the manifest names the image by its digest",
      },
      generation: { type: "number", meaning: "increases with every installation" },
      actor: { type: "text or null", meaning: "user or app that sent the command, or null" },
    },
  },
  "app.uninstalled": {
    emitted: "with the UNINSTALLED state, in the same transaction",
    affects: ["apps", "permissions", "containers"],
    fields: {
      purgeData: { type: "boolean", meaning: "whether settings and data are deleted, too" },
      actor: { type: "text or null", meaning: "user or app that sent the command, or null" },
    },
  },
  "app.state_changed": {
    emitted: "with every committed transition",
    affects: ["apps", "appSubscription"],
    fields: {
      from: { type: "text or null", meaning: "state before, or null at registration" },
      to: { type: "text", meaning: "state after" },
      reason: { type: "text", meaning: "the reason as text" },
    },
  },
  "app.enabled": {
    emitted: "when an app is enabled again, in the same transaction",
    affects: ["apps", "appSubscription", "containers"],
    fields: { actor: { type: "text or null", meaning: "user or app that sent the command, or null" } },
  },
  "app.disabled": {
    emitted: "when an app is disabled, in the same transaction",
    affects: ["apps", "appSubscription", "containers"],
    fields: { actor: { type: "text or null", meaning: "user or app that sent the command, or null" } },
  },
  "app.key_replaced": {
    emitted: "when an administrator replaced the key of an app, in the same transaction",
    affects: ["apps"],
    fields: {
      keyFingerprint: { type: "text", meaning: "SHA-256 of the new public key, hex" },
      actor: { type: "text or null", meaning: "user that sent the command, or null" },
    },
  },
  "app.deleted": {
    emitted: "with the deletion of a registration, in the same transaction",
    affects: ["apps", "permissions"],
    fields: { actor: { type: "text or null", meaning: "user or app that sent the command, or null" } },
  },
  "app.upgrade_started": {
    emitted: "when the deployment of another version, or a new one of the same version, is requested",
    affects: ["apps", "containers"],
    fields: {
      kind: { type: "text", meaning: "upgrade, rollback or redeploy" },
      fromVersion: { type: "text", meaning: "version that serves" },
      toVersion: { type: "text", meaning: "version that is to serve" },
      generation: { type: "number", meaning: "generation of the new deployment" },
      actor: { type: "text or null", meaning: "user or app that sent the command, or null" },
    },
  },
  "app.upgraded": {
    emitted: "with the switch to another version or deployment, in the same transaction",
    affects: ["apps", "appSubscription", "permissions", "settings", "containers"],
    fields: {
      fromVersion: { type: "text", meaning: "version before" },
      toVersion: { type: "text", meaning: "version after; the same after a redeployment" },
      revision: { type: "number", meaning: "revision of the version after" },
      generation: { type: "number", meaning: "generation of the deployment that serves" },
      actor: { type: "text or null", meaning: "user or app that sent the command, or null" },
    },
  },
  "app.routing_changed": {
    emitted: "when requests to an app begin or cease to wait, or go to another address, without a change of its state",
    affects: ["apps", "appSubscription"],
    fields: { isHeld: { type: "boolean", meaning: "whether requests wait until the app serves again" } },
  },
  "app.rolled_back": {
    emitted: "with the switch back, or when an upgrade was given up, in the same transaction",
    affects: ["apps", "appSubscription", "permissions", "settings", "containers"],
    fields: {
      fromVersion: { type: "text", meaning: "version before, or the version that did not start" },
      toVersion: { type: "text", meaning: "version that serves" },
      isAutomatic: { type: "boolean", meaning: "whether the platform gave the upgrade up by itself" },
      reason: { type: "text or null", meaning: "why the upgrade was given up, or null" },
      actor: { type: "text or null", meaning: "user or app that sent the command, or null" },
    },
  },
  "deployment.state_changed": {
    emitted: "by the orchestrator, with every committed transition of a deployment",
    affects: ["apps", "appStates"],
    fields: {
      deploymentId: { type: "text", meaning: "id of the deployment" },
      from: { type: "text or null", meaning: "state before, or null" },
      to: { type: "text", meaning: "state after" },
      healthStatus: { type: "text", meaning: "UNKNOWN, HEALTHY or UNHEALTHY" },
      endpoint: { type: "text or null", meaning: "address of the container, or null" },
      error: { type: "error or null", meaning: "code and message, or null" },
    },
  },
  "hook.triggered": {
    emitted: "once for every accepted trigger",
    affects: ["hookSubscription"],
    fields: {
      hookId: { type: "text", meaning: "id of the hook event" },
      hookName: { type: "text", meaning: "name of the hook" },
      sourceApp: { type: "text or null", meaning: "app that triggered it, or null" },
      data: { type: "json", meaning: "JSON of the trigger" },
    },
  },
  "hook.dead_lettered": {
    emitted: "when a delivery of a hook is given up, in the same transaction; the app is the subscriber",
    affects: [],
    fields: {
      deliveryId: { type: "text", meaning: "id of the delivery" },
      hookId: { type: "text", meaning: "id of the hook event" },
      hookName: { type: "text", meaning: "name of the hook" },
      sourceApp: { type: "text or null", meaning: "app that triggered it, or null" },
      attempts: { type: "number", meaning: "number of times that it was sent" },
      error: { type: "error or null", meaning: "code and message of the last failure, or null" },
    },
  },
  "activity.executed": {
    emitted: "once for every run that reached its end",
    affects: [],
    fields: {
      activity: { type: "text", meaning: "name of the activity" },
      runId: { type: "text", meaning: "id of the run" },
      status: { type: "text", meaning: "the final status" },
      attempt: { type: "number", meaning: "number of the last attempt, from 1" },
      durationMs: { type: "number", meaning: "milliseconds of the last attempt" },
      error: { type: "error or null", meaning: "code and message, or null" },
    },
  },
  "settings.updated": {
    emitted: "with the write",
    affects: ["settings", "containers"],
    fields: {
      keys: { type: "texts", meaning: "changed keys; never values" },
      actor: { type: "text or null", meaning: "user or app that changed them, or null" },
    },
  },
  "permission.changed": {
    emitted: "when the platform writes or removes tuples",
    affects: ["permissions", "hookSources"],
    fields: {
      subject: { type: "text", meaning: "subject of the permission" },
      object: { type: "text", meaning: "object of the permission" },
    },
  },
  "access.requested": {
    emitted: "when a person asks for access to an app, in the same transaction",
    affects: [],
    fields: {
      requestId: { type: "text", meaning: "id of the request" },
      subject: { type: "text", meaning: "who asks: user:<id>" },
      displayName: { type: "text", meaning: "name of the person" },
      access: { type: "text", meaning: "viewer, editor, owner, or a permission of the app" },
      reason: { type: "text or null", meaning: "why, in the person's own words, or null" },
    },
  },
  "access.decided": {
    emitted: "when an administrator granted or declined what a person has asked for, in the same transaction",
    affects: [],
    fields: {
      requestId: { type: "text", meaning: "id of the request" },
      subject: { type: "text", meaning: "who has asked: user:<id>" },
      access: { type: "text", meaning: "viewer, editor, owner, or a permission of the app" },
      isGranted: { type: "boolean", meaning: "whether the person has it now" },
      actor: { type: "text or null", meaning: "user that decided, or null" },
    },
  },
  "permission.approved": {
    emitted: "with the approval, in the same transaction, if it approves anything that was not approved before",
    affects: [],
    fields: {
      scopes: { type: "scopes", meaning: "approved scopes, each with the app that owns it, or null for the platform" },
      actor: { type: "text or null", meaning: "user or app that sent the command, or null" },
    },
  },
  "backup.completed": {
    emitted: "when a backup of the platform is complete; it concerns no app",
    affects: [],
    fields: {},
  },
  "backup.failed": {
    emitted: "when a backup of the platform was given up; it concerns no app",
    affects: [],
    fields: { error: { type: "text", meaning: "why" } },
  },
  "incident.opened": {
    emitted: "when an incident begins, in the same transaction; without an app if it concerns none",
    affects: [],
    fields: {
      incidentId: { type: "text", meaning: "id of the incident (UUIDv7)" },
      kind: {
        type: "text",
        meaning: "APP_DOWN, BACKUP_FAILED, CERTIFICATE_EXPIRES, DATABASE_FULL, DEAD_LETTERS, DISK_FULL or UPGRADE_ROLLED_BACK",
      },
      subject: { type: "text", meaning: "what it is about" },
      message: { type: "text", meaning: "one sentence" },
    },
  },
  "incident.closed": {
    emitted: "when an incident is over, in the same transaction; without an app if it concerns none",
    affects: [],
    fields: {
      incidentId: { type: "text", meaning: "id of the incident (UUIDv7)" },
      kind: { type: "text", meaning: "as of `incident.opened`" },
      subject: { type: "text", meaning: "what it is about" },
      message: { type: "text", meaning: "one sentence" },
    },
  },
  "circuit.opened": {
    emitted:
      "after a circuit breaker of the proxy opened, also after a failed probe; may be lost with the process or the database",
    affects: [],
    fields: {
      replica: { type: "text", meaning: "host and process id of the server whose breaker it is" },
      reason: { type: "text", meaning: "the reason as text" },
      failures: { type: "number", meaning: "failed requests of the last 30 seconds" },
      requests: { type: "number", meaning: "requests of the last 30 seconds that succeeded or failed" },
    },
  },
  "circuit.closed": {
    emitted: "after a circuit breaker of the proxy closed again; may be lost with the process or the database",
    affects: [],
    fields: { replica: { type: "text", meaning: "host and process id of the server whose breaker it is" } },
  },
} as const;

export type EventType = keyof typeof eventDefinitions;

const definitions: Readonly<Record<EventType, EventDefinition>> = eventDefinitions;

/** The types of all events that can change `effect`, in the order of the definitions. */
export function eventTypesAffecting(effect: EventEffect): readonly EventType[] {
  return (Object.keys(definitions) as EventType[]).filter((type) => definitions[type].affects.includes(effect));
}
