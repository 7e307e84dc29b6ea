import type { EventEnvelope } from "@appserver/kernel/ports";
import { type DeploymentRow, keptChanges, type PlatformRecords, type VersionChangeRow } from "./platform-records.ts";

/** The event that each kind of version change has. An installation has that of its transition. */
const eventOf: Readonly<Record<VersionChangeRow["kind"], string | undefined>> = {
  install: undefined,
  upgrade: "app.upgraded",
  redeploy: "app.upgraded",
  rollback: "app.rolled_back",
  revert: "app.rolled_back",
};

/** The fields that tell the changes of an app at the same time apart, by the type of their event. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  "app.state_changed": ["from", "to"],
  "app.installed": [],
  "app.uninstalled": [],
  "app.upgraded": ["fromVersion", "toVersion"],
  "app.rolled_back": ["fromVersion", "toVersion"],
};

/** Checks that every committed change has its event, and every event its change. */
export function eventViolations(records: PlatformRecords): readonly string[] {
  const committed = new Set([...records.transitions.flatMap(transitionKeys), ...records.versionChanges.flatMap(changeKeys)]);
  const published = new Set(records.events.filter(isAboutKept(records)).flatMap(eventKeys));
  return [
    ...[...committed].filter((key) => !published.has(key)).map((key) => `no event for: ${key}`),
    ...[...published].filter((key) => !committed.has(key)).map((key) => `an event without a commit: ${key}`),
    ...records.deployments.flatMap((deployment) => deploymentViolations(deployment, records.events)),
  ];
}

function transitionKeys({ appName, from, to, at }: PlatformRecords["transitions"][number]): string[] {
  const time = at.toISOString();
  const more = { INSTALLED: "app.installed", UNINSTALLED: "app.uninstalled" }[to];
  return [keyOf("app.state_changed", appName, [from, to], time), ...(more ? [keyOf(more, appName, [], time)] : [])];
}

function changeKeys({ kind, appName, from, version, at }: VersionChangeRow): string[] {
  const type = eventOf[kind];
  return type === undefined ? [] : [keyOf(type, appName, [from, version], at.toISOString())];
}

function eventKeys({ type, subject, body }: EventEnvelope): string[] {
  const values = fieldsOf[type]?.map((field) => body[field]);
  return values ? [keyOf(type, subject, values, String(body["timestamp"]))] : [];
}

function keyOf(type: string, appName: string, values: readonly unknown[], at: string): string {
  return [type, appName, values.map(String).join(" → "), "at", at].filter(Boolean).join(" ");
}

/** Returns whether the change of an event is stored: the oldest version changes of an app are removed. */
function isAboutKept({ versionChanges }: PlatformRecords): (event: EventEnvelope) => boolean {
  const byApp = Map.groupBy(versionChanges, ({ appName }) => appName);
  return ({ type, subject, body }) => {
    const changes = byApp.get(subject) ?? [];
    const [oldest] = changes;
    const isVersionChange = fieldsOf[type]?.includes("toVersion") === true;
    if (!isVersionChange || !oldest || changes.length < keptChanges) return true;
    return String(body["timestamp"]) >= oldest.at.toISOString();
  };
}

/**
 * Transitions of deployments are not stored individually. Their events must form one chain from the beginning to the stored
 * state, in the order of publication. A missing event would break it.
 */
function deploymentViolations(deployment: DeploymentRow, events: readonly EventEnvelope[]): string[] {
  const label = `deployment ${deployment.id} of ${deployment.appName}`;
  const own = events.filter(({ type, body }) => type === "deployment.state_changed" && body["deploymentId"] === deployment.id);
  const found: string[] = [];
  let state: unknown = null;
  for (const { body } of withoutRepeats(own)) {
    if (body["from"] !== state) found.push(`${label}: after ${String(state)} an event from ${String(body["from"])}`);
    state = body["to"];
  }
  if (state !== deployment.state) found.push(`${label} is ${deployment.state} and its events end at ${String(state)}`);
  return found;
}

/** Delivery is at least once: an event may arrive twice, with the same id. */
function withoutRepeats(events: readonly EventEnvelope[]): readonly EventEnvelope[] {
  return [...new Map(events.toReversed().map((event) => [event.id, event])).values()].reverse();
}
