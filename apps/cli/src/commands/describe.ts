import { AppState, HealthState } from "@appserver/contracts/proto/appserver/v2/common";
import {
  type AppDatabase,
  type AppTransition,
  type Deployment,
  DeploymentState,
  type GetAppResponse,
  GetAppResponseSchema,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { toJson } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { fieldLines, print, printJson } from "../output.ts";
import { connect, type GlobalOptions } from "../platform.ts";
import { renderTable } from "../table.ts";
import { sizeText, storageTable } from "./storage.ts";

/** Shows why an app runs or does not run: its container, health checks, limits, last crash, database, storage and transitions. */
export async function describeApp(options: GlobalOptions, name: string): Promise<void> {
  const response = await connect(options).marketplace.getApp({ name });
  if (options.json) printJson(toJson(GetAppResponseSchema, response));
  else print(sectionsOf(response).join("\n\n"));
}

function sectionsOf({ app, deployment, database, storage, transitions }: GetAppResponse): readonly string[] {
  if (!app) throw new Error("the response of the platform has no app");
  const { lastError } = app;
  const summary = fieldLines([
    ["name", app.name],
    ["version", app.version],
    ["available version", app.availableVersion],
    ["state", AppState[app.state]],
    ["enabled", app.enabled ? "yes" : "no"],
    ["health", HealthState[app.health]],
    ["reason", deployment?.reason],
    ["last error", lastError && `${lastError.code}: ${lastError.message}`],
  ]);
  return [
    summary,
    deployment ? `Container\n${indented(containerLines(deployment))}` : "Container\n  none",
    ...(deployment?.lastCrash ? [`Last crash\n${indented(crashLines(deployment))}`] : []),
    ...(database ? [`Database\n${indented(databaseLines(database))}`] : []),
    storage.length === 0 ? "Storage\n  none" : `Storage\n${indented(storageTable(storage))}`,
    `Transitions\n${indented(transitionTable(transitions))}`,
  ];
}

function containerLines(deployment: Deployment): string {
  const { limits, healthCheck: check } = deployment;
  return fieldLines([
    ["state", DeploymentState[deployment.state]],
    ["health check", check ? checkText(check) : limits && "none: the app counts as healthy while it runs"],
    ["image", deployment.image || undefined],
    ["image digest", deployment.imageDigest],
    ["name", deployment.containerName],
    ["id", deployment.containerId],
    ["driver", deployment.driver],
    ["endpoint", deployment.endpoint],
    ["generation", String(deployment.generation)],
    ["restarts", String(deployment.restartCount)],
    ["limits", limits && `${limits.memoryMb} MiB memory, ${limits.cpuShares} CPU shares, ${limits.pids} processes`],
    ["out of date", deployment.outOfDate ? "yes: its configuration changed" : "no"],
    ["started", timeText(deployment.createdAt)],
    ["updated", timeText(deployment.updatedAt)],
  ]);
}

function checkText({ path, intervalMs, timeoutMs, threshold }: NonNullable<Deployment["healthCheck"]>): string {
  const every = `every ${intervalMs / 1_000} s, timeout ${timeoutMs} ms`;
  return `GET ${path} ${every}, unhealthy after ${threshold} failure${threshold === 1 ? "" : "s"} in a row`;
}

function crashLines({ lastCrash }: Deployment): string {
  const { at, exitCode, output = [] } = lastCrash ?? {};
  const fields = fieldLines([
    ["at", timeText(at)],
    ["exit code", exitCode === undefined ? "unknown" : String(exitCode)],
    ["output", output.length === 0 ? "none, or not readable without app:logs" : undefined],
  ]);
  return [fields, ...output.map((line) => `| ${line}`)].join("\n");
}

function databaseLines({ usedBytes, limitBytes, fullSince, measuredAt }: AppDatabase): string {
  return fieldLines([
    ["size", sizeText(Number(usedBytes))],
    ["limit", sizeText(Number(limitBytes))],
    ["full", fullSince ? `since ${timeText(fullSince)}: the app gets no connections` : "no"],
    ["measured", timeText(measuredAt)],
  ]);
}

function transitionTable(transitions: readonly AppTransition[]): string {
  const rows = transitions.map(({ at, from, to, actor, reason }) => [
    timeText(at) ?? "",
    `${from === AppState.UNSPECIFIED ? "" : `${AppState[from]} `}> ${AppState[to]}`,
    actor ?? "platform",
    reason,
  ]);
  return renderTable(["AT", "STATE", "BY", "REASON"], rows);
}

function timeText(time: Timestamp | undefined): string | undefined {
  return time && timestampDate(time).toISOString();
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
