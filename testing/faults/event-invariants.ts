import type { EventEnvelope } from "@appserver/kernel/ports";
import { type DeploymentRow, keptChanges, type PlatformRecords } from "./platform-records.ts";

/** The event of each kind of version change, and of the states that have an event in addition to `app.state_changed`. */
const eventOf: Readonly<Record<string, string>> = {
  upgrade: "app.upgraded",
  redeploy: "app.upgraded",
  rollback: "app.rolled_back",
  revert: "app.rolled_back",
  INSTALLED: "app.installed",
  UNINSTALLED: "app.uninstalled",
};
const versionTypes: ReadonlySet<string> = new Set(["app.upgraded", "app.rolled_back"]);
const checkedTypes: ReadonlySet<string> = new Set(["app.state_changed", ...Object.values(eventOf)]);

/** Checks that every committed change has its event, and every event its change. */
export function eventViolations(records: PlatformRecords): readonly string[] {
  const { transitions, versionChanges, deployments, events } = records;
  const committed = new Set(
    [
      ...transitions.map((step) => ({ ...step, type: "app.state_changed" })),
      ...transitions.map((step) => ({ ...step, type: eventOf[step.to], from: null, to: null })),
      ...versionChanges.map((change) => ({ ...change, type: eventOf[change.kind], to: change.version })),
    ].flatMap(({ type, appName, from, to, at }) => (type ? keyOf(type, appName, from, to, at.toISOString()) : [])),
  );
  const published = new Set(
    events
      .filter((event) => checkedTypes.has(event.type) && isAboutKept(event, records))
      .map(({ type, subject, body }) => {
        const [from, to] = [body["from"] ?? body["fromVersion"], body["to"] ?? body["toVersion"]];
        return keyOf(type, subject, from, to, String(body["timestamp"]));
      }),
  );
  return [
    ...[...committed].filter((key) => !published.has(key)).map((key) => `no event for: ${key}`),
    ...[...published].filter((key) => !committed.has(key)).map((key) => `an event without a commit: ${key}`),
    ...deployments.flatMap((deployment) => deploymentViolations(deployment, events)),
  ];
}

function keyOf(type: string, appName: string, from: unknown, to: unknown, at: string): string {
  return `${type} ${appName} ${from ?? "null"} → ${to ?? "null"} at ${at}`;
}

/** Returns whether the change of an event is stored: the oldest version changes of an app are removed. */
function isAboutKept({ type, subject, body }: EventEnvelope, { versionChanges }: PlatformRecords): boolean {
  const changes = versionChanges.filter(({ appName }) => appName === subject);
  const [oldest] = changes;
  if (!versionTypes.has(type) || !oldest || changes.length < keptChanges) return true;
  return String(body["timestamp"]) >= oldest.at.toISOString();
}

/**
 * Transitions of deployments are not stored individually. Their events must form one chain from the beginning to the stored
 * state, in the order of publication. A missing event would break it.
 */
function deploymentViolations(deployment: DeploymentRow, events: readonly EventEnvelope[]): string[] {
  const label = `deployment ${deployment.id} of ${deployment.appName}`;
  const own = events.filter(({ type, body }) => type === "deployment.state_changed" && body["deploymentId"] === deployment.id);
  // Delivery is at least once: an event may arrive twice, with the same id.
  const steps = [...new Map(own.toReversed().map((event) => [event.id, event])).values()].reverse();
  const found: string[] = [];
  let state: unknown = null;
  for (const { body } of steps) {
    if (body["from"] !== state) found.push(`${label}: after ${String(state)} an event from ${String(body["from"])}`);
    state = body["to"];
  }
  if (state !== deployment.state) found.push(`${label} is ${deployment.state} and its events end at ${String(state)}`);
  return found;
}
