import { containerName } from "@appserver/contracts/names";
import {
  type AppRow,
  type DeploymentRow,
  keptChanges,
  type PlatformRecords,
  type VersionChangeRow,
} from "./platform-records.ts";

/**
 * Checks what must hold after switches between releases: each app is switching to nothing, one version serves in every part of
 * the platform, and earlier deployments have ended.
 */
export function switchViolations({ apps, deployments, versionChanges }: PlatformRecords): readonly string[] {
  return [
    ...apps.flatMap((app) => versionViolations(app, versionChanges)),
    ...apps.flatMap((app) => servingViolations(app, deployments)),
    ...deployments.flatMap(endedViolations),
  ];
}

const installed: ReadonlySet<string> = new Set(["INSTALLED", "RUNNING", "UNHEALTHY"]);

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
  const current = deployments.find(({ appName, role }) => appName === app.name && role === "current");
  if (app.state !== "RUNNING" || !current || current.state !== "HEALTHY") return [];
  const found: string[] = [];
  if (current.version !== app.version) found.push(`${app.name} has ${app.version} and its deployment runs ${current.version}`);
  if (current.endpoint !== app.endpoint) found.push(`${app.name} is sent to ${app.endpoint}, it runs at ${current.endpoint}`);
  if (current.containerName !== containerName(app.name))
    found.push(`the container of ${app.name} still has the name ${current.containerName}`);
  return found;
}

/** Deployments that do not serve have ended. */
function endedViolations({ id, appName, role, state, final }: DeploymentRow): string[] {
  const hasEnded = state === "STOPPED" || (state === "FAILED" && final);
  if (role === "current" || (hasEnded && role !== "retiring")) return [];
  return [`deployment ${id} of ${appName} is ${state}, its role is ${role ?? "none"}`];
}
