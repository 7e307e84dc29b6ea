import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";
import { connect } from "../platform.ts";
import { renderTable } from "../table.ts";
import { type FollowFlags, followOperation } from "./follow-operation.ts";

export interface SwitchFlags extends FollowFlags {
  readonly to?: string;
  /** Digest of the reviewed plan. */
  readonly plan?: string;
}

export async function upgradeApp(options: GlobalOptions, name: string, flags: SwitchFlags): Promise<void> {
  const platform = connect(options);
  const { operation } = await platform.marketplace.upgradeApp(requestOf(name, flags));
  const done = `${name} has version ${operation?.version ?? ""}`;
  await followOperation(options, platform, operation, { done, detach: flags.detach });
}

export async function rollbackApp(options: GlobalOptions, name: string, flags: SwitchFlags): Promise<void> {
  const platform = connect(options);
  const { app, operation } = await platform.marketplace.rollbackApp(requestOf(name, flags));
  // Without a version, a running switch was cancelled: its operation ends with the reason.
  if (operation?.done && operation.error) {
    if (options.json) printJson({ app: name, version: app?.version, cancelled: operation.version });
    else print(`the ${operation.kind} of ${name} to ${operation.version} was cancelled; version ${app?.version} serves`);
    return;
  }
  const done = `${name} has version ${operation?.version ?? ""} again`;
  await followOperation(options, platform, operation, { done, detach: flags.detach });
}

export async function redeployApp(
  options: GlobalOptions,
  name: string,
  { pull, detach }: FollowFlags & { readonly pull: boolean },
): Promise<void> {
  const platform = connect(options);
  const { operation } = await platform.marketplace.redeployApp({ name, pull });
  await followOperation(options, platform, operation, { done: `${name} was deployed again`, detach });
}

/** Lists the kept releases of an app, and the history of the releases that served. */
export async function listVersions(options: GlobalOptions, name: string): Promise<void> {
  const { releases, changes } = await connect(options).marketplace.listVersions({ name });
  const kept = releases.map((release) => ({
    version: release.revision > 1 ? `${release.version} (revision ${release.revision})` : release.version,
    serves: release.isCurrent,
    registered: dateOf(release.registeredAt),
    served: dateOf(release.servedAt),
    manifest: release.manifestDigest,
    image: release.imageDigest ?? null,
  }));
  const history = changes.map((change) => ({
    at: dateOf(change.at),
    kind: change.kind,
    from: change.fromVersion ?? null,
    to: change.version,
    by: change.actor ?? null,
    reason: change.reason ?? null,
  }));
  if (options.json) return printJson({ releases: kept, history });
  print(
    renderTable(
      ["VERSION", "SERVES", "REGISTERED", "LAST SERVED FROM", "MANIFEST"],
      kept.map((release) => [
        release.version,
        release.serves ? "yes" : "-",
        seconds(release.registered),
        seconds(release.served),
        release.manifest.slice(0, 12),
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

function requestOf(name: string, { to, plan }: SwitchFlags) {
  return { name, ...(to === undefined ? {} : { version: to }), ...(plan === undefined ? {} : { planDigest: plan }) };
}

/** Shortens a time for a table. */
function seconds(at: string | undefined): string {
  return at?.replace(/\.\d+Z$/, "Z") ?? "-";
}

function dateOf(at: Parameters<typeof timestampDate>[0] | undefined): string | undefined {
  return at && timestampDate(at).toISOString();
}
