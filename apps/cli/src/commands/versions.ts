import { ask, command, found } from "../client.ts";
import {
  RedeployAppDocument,
  RollbackAppDocument,
  UpgradeAppDocument,
  VersionsOfAppDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";
import { sourceText } from "../source-text.ts";
import { renderTable } from "../table.ts";
import { type FollowFlags, followOperation } from "./follow-operation.ts";

export interface SwitchFlags extends FollowFlags {
  readonly to?: string;
  /** Digest of the reviewed plan. */
  readonly plan?: string;
}

export async function upgradeApp(options: GlobalOptions, name: string, { to, plan, detach }: SwitchFlags): Promise<void> {
  const { operation } = await command(options, UpgradeAppDocument, { name, version: to, planDigest: plan });
  await followOperation(options, operation, { done: `${name} has version ${operation.version}`, detach });
}

export async function rollbackApp(
  options: GlobalOptions,
  name: string,
  { to, plan, detach, withData }: SwitchFlags & { readonly withData: boolean },
): Promise<void> {
  const request = { name, version: to, planDigest: plan, withData };
  const { app, operation } = await command(options, RollbackAppDocument, request);
  // Without a version, a running switch was cancelled: its operation ends with the reason.
  if (operation.done && operation.error) {
    if (options.json) printJson({ app: name, version: app?.version, cancelled: operation.version });
    else print(`the ${operation.kind} of ${name} to ${operation.version} was cancelled; version ${app?.version} serves`);
    return;
  }
  await followOperation(options, operation, { done: `${name} has version ${operation.version} again`, detach });
}

export async function redeployApp(
  options: GlobalOptions,
  name: string,
  { pull, detach }: FollowFlags & { readonly pull: boolean },
): Promise<void> {
  const { operation } = await command(options, RedeployAppDocument, { name, pull });
  await followOperation(options, operation, { done: `${name} was deployed again`, detach });
}

/** Lists the kept releases of an app, and the history of the releases that served. */
export async function listVersions(options: GlobalOptions, name: string): Promise<void> {
  const { releases, versionHistory } = found((await ask(options, VersionsOfAppDocument, { name })).app, `app ${name}`);
  const kept = releases.map((release) => ({
    version: release.revision > 1 ? `${release.version} (revision ${release.revision})` : release.version,
    serves: release.isCurrent,
    registered: release.registeredAt,
    served: release.servedAt ?? undefined,
    manifest: release.manifestDigest,
    image: release.imageDigest ?? null,
    by: release.registeredBy ?? null,
    source: release.source ?? null,
  }));
  const history = versionHistory.map((change) => ({
    at: change.at,
    kind: change.kind.toLowerCase(),
    from: change.fromVersion ?? null,
    to: change.version,
    by: change.actor ?? null,
    reason: change.reason ?? null,
  }));
  if (options.json) return printJson({ releases: kept, history });
  print(
    renderTable(
      ["VERSION", "SERVES", "REGISTERED", "LAST SERVED FROM", "MANIFEST", "SOURCE"],
      kept.map((release) => [
        release.version,
        release.serves ? "yes" : "-",
        seconds(release.registered),
        seconds(release.served),
        release.manifest.slice(0, 12),
        sourceText(release.source) ?? "-",
      ]),
    ),
  );
  print("");
  print(
    renderTable(
      ["AT", "KIND", "FROM", "TO", "BY", "REASON"],
      history.map(({ at, kind, from, to, by, reason }) => [seconds(at), kind, from ?? "-", to, by ?? "-", reason ?? "-"]),
    ),
  );
}

/** Shortens a time for a table. */
function seconds(at: string | undefined): string {
  return at?.replace(/\.\d+Z$/, "Z") ?? "-";
}
