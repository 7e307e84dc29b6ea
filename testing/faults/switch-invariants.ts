import { containerName } from "@appserver/contracts/names";
import type { EventEnvelope } from "@appserver/kernel/ports";
import type { AppRow, DeploymentRow, PlatformRecords, VersionChangeRow } from "./platform-records.ts";

/** The event that each kind of version change has. An installation has `app.installed`, which is checked with its transition. */
const eventOf: Readonly<Record<VersionChangeRow["kind"], string | undefined>> = {
  install: undefined,
  upgrade: "app.upgraded",
  redeploy: "app.upgraded",
  rollback: "app.rolled_back",
  revert: "app.rolled_back",
};

/**
 * Checks what must hold after switches between releases: each app is switching to nothing, one version serves in every part of
 * the platform, earlier deployments have ended, and every version change has its event.
 */
export function switchViolations({ apps, deployments, versionChanges, events }: PlatformRecords): readonly string[] {
  return [
    ...apps.flatMap((app) => versionViolations(app, versionChanges)),
    ...apps.flatMap((app) => servingViolations(app, deployments)),
    ...deployments.flatMap(endedViolations),
    ...changeEventViolations(versionChanges, events),
  ];
}

const installed: ReadonlySet<string> = new Set(["INSTALLED", "RUNNING", "UNHEALTHY"]);

/** The number of version changes of an app that the platform keeps. */
const keptChanges = 250;

/** Checks that the version changes of an app form one chain to the version that serves. */
function versionViolations(app: AppRow, changes: readonly VersionChangeRow[]): string[] {
  const found: string[] = [];
  if (app.target !== null) found.push(`${app.name} is still switching: ${JSON.stringify(app.target)}`);
  const ofApp = changes.filter(({ appName }) => appName === app.name);
  // The history of an app begins somewhere once older entries were removed.
  let serving = ofApp.length < keptChanges ? undefined : (ofApp[0]?.from ?? undefined);
  for (const { kind, from, version } of ofApp) {
    const before = kind === "revert" ? version : from;
    if (kind !== "install" && before !== serving)
      found.push(`${app.name} had ${serving} and a ${kind} from ${before} is stored`);
    serving = version;
  }
  if (installed.has(app.state) && serving !== app.version)
    found.push(`${app.name} has ${app.version} and its version history ends at ${serving}`);
  return found;
}

/** Checks that a running app, its deployment and its container belong together. */
function servingViolations(app: AppRow, deployments: readonly DeploymentRow[]): string[] {
  const current = deployments.find(({ appName, isCurrent }) => appName === app.name && isCurrent);
  if (app.state !== "RUNNING" || !current || current.state !== "HEALTHY") return [];
  const found: string[] = [];
  if (current.version !== app.version) found.push(`${app.name} has ${app.version} and its deployment runs ${current.version}`);
  if (current.endpoint !== app.endpoint) found.push(`${app.name} is sent to ${app.endpoint}, it runs at ${current.endpoint}`);
  if (current.containerName !== containerName(app.name))
    found.push(`the container of ${app.name} still has the name ${current.containerName}`);
  return found;
}

/** Deployments that do not serve have ended. */
function endedViolations({ id, appName, role, isCurrent, state, final }: DeploymentRow): string[] {
  const hasEnded = state === "STOPPED" || (state === "FAILED" && final);
  if (isCurrent || (hasEnded && role !== "retiring")) return [];
  return [`deployment ${id} of ${appName} is ${state}, its role is ${role ?? "none"}`];
}

function changeEventViolations(changes: readonly VersionChangeRow[], events: readonly EventEnvelope[]): string[] {
  const types = new Set(Object.values(eventOf));
  const oldest = oldestKept(changes);
  const published = new Set(
    events
      .filter(({ type, subject, body }) => types.has(type) && String(body["timestamp"]) >= (oldest.get(subject) ?? ""))
      .map(({ type, subject, body }) =>
        keyOf(type, subject, body["fromVersion"], body["toVersion"], String(body["timestamp"])),
      ),
  );
  const committed = new Set(
    changes.flatMap(({ kind, appName, from, version, at }) => {
      const type = eventOf[kind];
      return type === undefined ? [] : [keyOf(type, appName, from, version, at.toISOString())];
    }),
  );
  return [
    ...[...committed].filter((key) => !published.has(key)).map((key) => `no event for: ${key}`),
    ...[...published].filter((key) => !committed.has(key)).map((key) => `an event without a commit: ${key}`),
  ];
}

/** Returns when the history of an app begins, for each app whose older changes were removed. ISO 8601. */
function oldestKept(changes: readonly VersionChangeRow[]): ReadonlyMap<string, string> {
  const byApp = Map.groupBy(changes, ({ appName }) => appName);
  return new Map(
    [...byApp].flatMap(([appName, [first, ...more]]) =>
      first && more.length >= keptChanges - 1 ? [[appName, first.at.toISOString()] as const] : [],
    ),
  );
}

function keyOf(type: string, appName: string, from: unknown, to: unknown, at: string): string {
  return `${type} ${appName} ${String(from)} → ${String(to)} at ${at}`;
}
