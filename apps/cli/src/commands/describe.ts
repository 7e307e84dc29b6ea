import { AppState, HealthState, type Problem } from "@appserver/contracts/proto/appserver/v2/common";
import {
  type AppDatabase,
  type AppTransition,
  type Deployment,
  type DeploymentEvent,
  DeploymentSchema,
  DeploymentState,
  type GetAppResponse,
  GetAppResponseSchema,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { type DescField, isMessage, toJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../global-options.ts";
import { fieldLines, print, printJson } from "../output.ts";
import { connect } from "../platform.ts";
import { renderTable } from "../table.ts";
import { sizeText, storageTable } from "./storage.ts";

/** Shows why an app runs or does not run: its container, its deployments, health checks, limits, last crash, database, storage and transitions. */
export async function describeApp(options: GlobalOptions, name: string): Promise<void> {
  const response = await connect(options).marketplace.getApp({ name });
  if (options.json) printJson(toJson(GetAppResponseSchema, response));
  else print(sectionsOf(response).join("\n\n"));
}

function sectionsOf({ app, deployment, deploymentEvents, database, storage, transitions }: GetAppResponse): readonly string[] {
  if (!app) throw new Error("the response of the platform has no app");
  const { lastError } = app;
  const summary = fieldLines([
    ["name", app.name],
    ["version", app.version],
    ["available version", app.availableVersion],
    ["state", AppState[app.state]],
    ["enabled", app.enabled ? "yes" : "no"],
    ["health", HealthState[app.health]],
    ["certificate until", app.certificateExpiresAt && timeText(app.certificateExpiresAt)],
    ["reason", deployment?.reason],
    ["last error", lastError && problemText(lastError)],
  ]);
  return [
    summary,
    deployment ? `Container\n${indented(containerLines(deployment))}` : "Container\n  none",
    ...(deploymentEvents.length > 0 ? [`Events of deployments\n${indented(eventTable(deploymentEvents))}`] : []),
    ...(deployment?.lastCrash ? [`Last crash\n${indented(crashLines(deployment))}`] : []),
    ...(database ? [`Database\n${indented(databaseLines(database))}`] : []),
    storage.length === 0 ? "Storage\n  none" : `Storage\n${indented(storageTable(storage))}`,
    `Transitions\n${indented(transitionTable(transitions))}`,
  ];
}

/** Fields of a deployment that other sections show. */
const shownElsewhere: readonly string[] = ["reason", "lastCrash"] satisfies (keyof Deployment)[];

/** Shows every field of the message, so that a new one needs no change here. */
function containerLines(deployment: Deployment): string {
  const { limits, healthCheck: check, lastError, outOfDate } = deployment;
  const forms: Readonly<Record<string, string | undefined>> = {
    healthCheck: check ? checkText(check) : limits && "none: the app counts as healthy while it runs",
    lastError: lastError && problemText(lastError),
    limits: limits && `${limits.memoryMb} MiB memory, ${limits.cpuShares} CPU shares, ${limits.pids} processes`,
    outOfDate: outOfDate ? "yes: its configuration changed" : "no",
  } satisfies { readonly [F in keyof Deployment]?: string | undefined };
  const fields = DeploymentSchema.fields.filter(({ localName }) => !shownElsewhere.includes(localName));
  return fieldLines(
    fields.map((field) => {
      const { name, localName } = field;
      const value = deployment[localName as keyof Deployment];
      return [name.replaceAll("_", " "), localName in forms ? forms[localName] : valueText(field, value)];
    }),
  );
}

/** Returns undefined for a value that is absent or empty. */
function valueText(field: DescField, value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (field.fieldKind === "enum") return field.enum.value[Number(value)]?.localName;
  return isMessage(value, TimestampSchema) ? timeText(value) : String(value);
}

function problemText({ code, message }: Problem): string {
  return `${code}: ${message}`;
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

function eventTable(events: readonly DeploymentEvent[]): string {
  const rows = events.map(({ at, deploymentId, from, to, error }) => [
    timeText(at) ?? "",
    `${from === DeploymentState.UNSPECIFIED ? "" : `${DeploymentState[from]} `}> ${DeploymentState[to]}`,
    deploymentId,
    error ? problemText(error) : "",
  ]);
  return renderTable(["AT", "STATE", "DEPLOYMENT", "REASON"], rows);
}

function timeText(time: Timestamp | undefined): string | undefined {
  return time && timestampDate(time).toISOString();
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
