import { ask, found } from "../client.ts";
import { DescribedAppDocument, type DescribedAppQuery } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { fieldLines, print, printJson, problemText, stateText } from "../output.ts";
import { sourceText } from "../source-text.ts";
import { renderTable } from "../table.ts";
import { sizeText, storageTable } from "./storage.ts";

type DescribedApp = NonNullable<DescribedAppQuery["app"]>;
type Deployment = NonNullable<DescribedApp["deployment"]>;

/** Shows why an app runs or does not run: its container, its deployments, health checks, limits, last crash, database, storage and transitions. */
export async function describeApp(options: GlobalOptions, name: string): Promise<void> {
  const app = found((await ask(options, DescribedAppDocument, { name })).app, `app ${name}`);
  if (options.json) printJson(app);
  else print(sectionsOf(app).join("\n\n"));
}

function sectionsOf(app: DescribedApp): readonly string[] {
  const { lastError, deployment, deploymentEvents, database, storage, history } = app;
  const summary = fieldLines([
    ["name", app.name],
    ["description", app.description],
    ["version", app.version],
    ["available version", app.availableVersion],
    ["state", stateText(app)],
    ["enabled", app.enabled ? "yes" : "no"],
    ["health", app.health],
    ["image", app.image ? (app.image.digest ?? "by tag") : undefined],
    ["source", sourceText(app.releases.find(({ isCurrent }) => isCurrent)?.source, " ")],
    ["certificate until", app.certificateExpiresAt],
    ["reason", deployment?.reason],
    ["last error", lastError && problemText(lastError)],
  ]);
  return [
    summary,
    deployment ? `Container\n${indented(containerLines(deployment))}` : "Container\n  none",
    ...(deployment && deployment.instances.length > 0 ? [`Instances\n${indented(instanceTable(deployment))}`] : []),
    ...(deploymentEvents.length > 0 ? [`Events of deployments\n${indented(eventTable(deploymentEvents))}`] : []),
    ...(deployment?.lastCrash ? [`Last crash\n${indented(crashLines(deployment))}`] : []),
    ...(database ? [`Database\n${indented(databaseLines(database))}`] : []),
    storage.length === 0 ? "Storage\n  none" : `Storage\n${indented(storageTable(storage))}`,
    `Transitions\n${indented(transitionTable(history))}`,
  ];
}

/** Of the id of an instance: enough for `appctl logs --instance`. */
const shownIdLength = 12;

/** Fields of a deployment that other sections show. */
const shownElsewhere: readonly string[] = ["reason", "lastCrash", "instances"] satisfies (keyof Deployment)[];

/** Shows every field that the query selects, so that a new one needs no change here. */
function containerLines(deployment: Deployment): string {
  const { limits, healthCheck: check, lastError, outOfDate } = deployment;
  const forms: Readonly<Record<string, string | undefined>> = {
    healthCheck: check ? checkText(check) : limits ? "none: the app counts as healthy while it runs" : undefined,
    lastError: lastError ? problemText(lastError) : undefined,
    limits: limits ? `${limits.memoryMb} MiB memory, ${limits.cpuShares} CPU shares, ${limits.pids} processes` : undefined,
    outOfDate: outOfDate ? "yes: its configuration changed" : "no",
  } satisfies { readonly [F in keyof Deployment]?: string | undefined };
  const fields = Object.entries(deployment).filter(([name]) => !shownElsewhere.includes(name));
  return fieldLines(
    fields.map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      name in forms ? forms[name] : value == null ? undefined : String(value),
    ]),
  );
}

function instanceTable({ instances }: Deployment): string {
  const rows = instances.map(({ id, place, ready, startedAt, restarts, lastEnd, problem }) => [
    id.slice(0, shownIdLength),
    place ?? "",
    ready ? "yes" : "no",
    startedAt ?? "",
    String(restarts),
    lastEnd ? endText(lastEnd) : "",
    problem ?? "",
  ]);
  return renderTable(["INSTANCE", "PLACE", "READY", "STARTED", "RESTARTS", "LAST END", "PROBLEM"], rows);
}

function endText({ at, exitCode, cause }: NonNullable<Deployment["instances"][number]["lastEnd"]>): string {
  const how = cause === "memory" ? "over its memory" : `exit code ${exitCode ?? "unknown"}`;
  return `${at}, ${how}`;
}

function checkText({ path, intervalMs, timeoutMs, threshold }: NonNullable<Deployment["healthCheck"]>): string {
  const every = `every ${intervalMs / 1_000} s, timeout ${timeoutMs} ms`;
  return `GET ${path} ${every}, unhealthy after ${threshold} failure${threshold === 1 ? "" : "s"} in a row`;
}

function crashLines({ lastCrash }: Deployment): string {
  const { at, exitCode, output = [] } = lastCrash ?? {};
  const fields = fieldLines([
    ["at", at],
    ["exit code", exitCode == null ? "unknown" : String(exitCode)],
    ["output", output.length === 0 ? "none, or not readable without app:logs" : undefined],
  ]);
  return [fields, ...output.map((line) => `| ${line}`)].join("\n");
}

function databaseLines({ usedBytes, limitBytes, fullSince, measuredAt }: NonNullable<DescribedApp["database"]>): string {
  return fieldLines([
    ["size", sizeText(usedBytes)],
    ["limit", sizeText(limitBytes)],
    ["full", fullSince ? `since ${fullSince}: the app gets no connections` : "no"],
    ["measured", measuredAt],
  ]);
}

function transitionTable(transitions: DescribedApp["history"]): string {
  const rows = transitions.map(({ at, from, to, actor, reason }) => [
    at,
    `${from ? `${from} ` : ""}> ${to}`,
    actor ?? "platform",
    reason,
  ]);
  return renderTable(["AT", "STATE", "BY", "REASON"], rows);
}

function eventTable(events: DescribedApp["deploymentEvents"]): string {
  const rows = events.map(({ at, deploymentId, from, to, error }) => [
    at,
    `${from ? `${from} ` : ""}> ${to}`,
    deploymentId,
    error ? problemText(error) : "",
  ]);
  return renderTable(["AT", "STATE", "DEPLOYMENT", "REASON"], rows);
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
