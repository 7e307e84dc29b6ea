import {
  type EventBodyBase,
  type EventPayloads,
  type EventType,
  eventExchange,
  orchestratorQueuePrefix,
  serverQueuePrefix,
} from "@appserver/contracts/events";

interface EventEntry<Fields> {
  readonly emitted: string;
  /** A difference between the fields of the type and this page is a compile error. */
  readonly fields: { readonly [K in keyof Fields]: string };
}

const base: { readonly [K in keyof EventBodyBase]: string } = {
  AppName: "name of the app",
  app_name: "the same; readers accept either",
  AppID: "id of the app (UUIDv7)",
  app_id: "the same; readers accept either",
  version: "version of the app",
  timestamp: "RFC 3339, UTC, milliseconds",
};

const events: { readonly [T in EventType]: EventEntry<EventPayloads[T]> } = {
  "app.registered": {
    emitted: "after the manifest is stored",
    fields: { manifestDigest: "SHA-256 of the manifest, hex", isUpdate: "whether the name was registered before" },
  },
  "app.installed": {
    emitted: "with the INSTALLED state, in the same transaction",
    fields: {
      image: "image reference of the app's container",
      stage: "image stage: latest, pre-release or testing",
      generation: "grows with every installation",
      actor: "who asked for it, or null",
    },
  },
  "app.uninstalled": {
    emitted: "with the UNINSTALLED state, in the same transaction",
    fields: { purgeData: "whether settings and data go too", actor: "who asked for it, or null" },
  },
  "app.state_changed": {
    emitted: "with every committed transition",
    fields: { from: "state before, or null at registration", to: "state after", reason: "why, in words" },
  },
  "app.upgraded": {
    emitted: "after the switch to the new version",
    fields: { fromVersion: "version before", toVersion: "version after", actor: "who asked for it, or null" },
  },
  "app.rolled_back": {
    emitted: "after the switch back",
    fields: { fromVersion: "version before", toVersion: "version after", actor: "who asked for it, or null" },
  },
  "deployment.state_changed": {
    emitted: "by the orchestrator, with every committed transition of a deployment",
    fields: {
      deploymentId: "id of the deployment",
      from: "state before, or null",
      to: "state after",
      healthStatus: "UNKNOWN, HEALTHY or UNHEALTHY",
      endpoint: "where the container answers, or null",
      error: "code and message, or null",
    },
  },
  "hook.triggered": {
    emitted: "once for every accepted trigger",
    fields: {
      hookId: "id of the hook event",
      hookName: "name of the hook",
      sourceApp: "app that fired it, or null",
      data: "JSON of the trigger",
    },
  },
  "activity.executed": {
    emitted: "once for every run that reached its end",
    fields: {
      activity: "name of the activity",
      runId: "id of the run",
      status: "how it ended",
      attempt: "number of the last attempt, from 1",
      durationMs: "milliseconds of the last attempt",
      error: "code and message, or null",
    },
  },
  "settings.updated": {
    emitted: "with the write",
    fields: { keys: "keys that changed; values never travel", actor: "who wrote, or null" },
  },
  "permission.changed": {
    emitted: "when the platform writes or removes tuples",
    fields: { subject: "whose permission", object: "on what" },
  },
};

/** Generates `docs/reference/events.md`: every event on the bus and the fields of its body. */
export function generateEventPage(): string {
  const sections = Object.entries(events).map(
    ([type, { emitted, fields }]) => `### ${type}\n\nEmitted ${emitted}.\n\n${fieldTable(fields)}`,
  );
  return `<!-- Generated from contracts/events by \`npm run generate\`. Do not edit. -->

# Events

Exchange \`${eventExchange}\` (topic, durable); the routing key is the event's type. Queues are named \`<prefix><type>\`:
\`${serverQueuePrefix}\` for the server, \`${orchestratorQueuePrefix}\` for the orchestrator. Delivery is at least once; the
\`id\` header is the idempotency key. Headers are those of CloudEvents 1.0 in binary mode, prefixed \`cloudEvents:\`.

## Every body carries

${fieldTable(base)}

## Types

${sections.join("\n\n")}
`;
}

function fieldTable(fields: Readonly<Record<string, string>>): string {
  const rows = Object.entries(fields).map(([name, meaning]) => `| ${name} | ${meaning} |`);
  return ["| field | meaning |", "| --- | --- |", ...rows].join("\n");
}
