import { scopeObject, type Tuple } from "@appserver/contracts/authorization";
import { ask } from "../client.ts";
import { readGrants } from "../commands/access.ts";
import {
  type FileAppFragment,
  FileAppsDocument,
  ReleaseDigestsDocument,
  SchedulePausesDocument,
  type SchedulePausesQuery,
  ServiceAccountsDocument,
  StoredSettingsDocument,
  TrustedPipelinesDocument,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { takeFromPages } from "../pages.ts";
import { byText, compareTexts } from "./canonical.ts";
import { ownerOf } from "./grant-form.ts";
import {
  type AccountEntry,
  type AppEntry,
  type Approval,
  type AppTarget,
  approvalText,
  type PlatformState,
  scheduleText,
  tupleText,
} from "./platform-state.ts";
import { secretVariables } from "./secret-variables.ts";
import { type LiveTrust, trustText } from "./trust.ts";

export type Schedule = SchedulePausesQuery["activitySchedules"][number];

/** An app as it is on a platform. */
export interface LiveApp extends AppEntry {
  readonly id: string;
  /** It stays when the app is uninstalled. */
  readonly isEnabled: boolean;
  /** A release that is registered and newer than the one that serves. */
  readonly available: { readonly version: string; readonly manifest: string } | undefined;
  /** The digests of all releases that are kept. */
  readonly releases: readonly string[];
  /** Permissions that the app requires, needs an approval for, and does not have. */
  readonly unapproved: readonly Approval[];
  /** Apps without which it cannot be installed. */
  readonly needs: readonly string[];
}

/** What an operator decides about a platform, as it is now. */
export interface LivePlatform extends PlatformState {
  readonly apps: readonly LiveApp[];
  readonly trusts: readonly LiveTrust[];
  /** Ids of service accounts by name. */
  readonly accountIds: ReadonlyMap<string, string>;
}

/** Reads a platform. Needs `app:view`, `settings:read`, `activity:view` and `access:view`. Secrets stay where they are. */
export async function readPlatform(options: GlobalOptions): Promise<LivePlatform> {
  const nodes = await readApps(options);
  const { activitySchedules } = await ask(options, SchedulePausesDocument, {});
  const paused = Map.groupBy(
    activitySchedules.filter((schedule) => schedule.paused),
    ({ appName }) => appName,
  );
  const variables = new Map<string, number>();
  const apps: LiveApp[] = [];
  for (const node of nodes) apps.push(await readApp(options, node, paused.get(node.name) ?? [], variables));
  const { serviceAccounts } = await ask(options, ServiceAccountsDocument, {});
  const tuples = await readTuples(options, nodes);
  const bySubject = Map.groupBy(tuples, ({ user }) => user);
  const accounts = serviceAccounts.map(({ name, subject }): AccountEntry => {
    const grants = (bySubject.get(subject) ?? []).map(({ relation, object }) => ({ relation, object }));
    return { name, grants };
  });
  return {
    apps,
    accounts: accounts.sort(byText(({ name }) => name)),
    trusts: await readTrusts(options),
    grants: tuples.filter(({ user }) => !user.startsWith("machine:")).sort(byText(tupleText)),
    accountIds: new Map(serviceAccounts.map(({ name, id }) => [name, id])),
  };
}

/** Returns the apps by name. */
async function readApps(options: GlobalOptions): Promise<readonly FileAppFragment[]> {
  const limits = { limit: Number.POSITIVE_INFINITY, pageSize: 40 };
  const nodes = await takeFromPages(limits, async (page) => (await ask(options, FileAppsDocument, page)).apps);
  return [...nodes].sort(byText(({ name }) => name));
}

async function readApp(
  options: GlobalOptions,
  node: FileAppFragment,
  paused: readonly Schedule[],
  variables: Map<string, number>,
): Promise<LiveApp> {
  const { id, name, version, manifestDigest, availableVersion, availableDigest, requiredPermissions } = node;
  const { settings } = await ask(options, StoredSettingsDocument, { appID: id });
  const { app } = await ask(options, ReleaseDigestsDocument, { name });
  const approvable = requiredPermissions.filter(({ requiresApproval }) => requiresApproval);
  const approvals = (approved: boolean) =>
    approvable
      .filter((permission) => permission.approved === approved)
      .map(({ scope, resourceType }): Approval => ({ scope, of: ownerOf(scope, resourceType) }))
      .sort(byText(approvalText));
  return {
    id,
    name,
    version,
    manifest: manifestDigest,
    certificate: node.certificateFingerprint,
    state: targetOf(node),
    isEnabled: node.enabled,
    settings: (settings?.stored ?? {}) as Readonly<Record<string, unknown>>,
    secrets: secretVariables(name, settings?.secretsSet ?? [], variables),
    approvals: approvals(true),
    unapproved: approvals(false),
    pausedSchedules: paused.map(({ activity, key }) => ({ activity, key })).sort(byText(scheduleText)),
    available:
      availableVersion != null && availableDigest != null
        ? { version: availableVersion, manifest: availableDigest }
        : undefined,
    releases: app?.releases.map((release) => release.manifestDigest) ?? [],
    needs: node.dependencies.filter(({ kind }) => kind === "HARD").map(({ appName }) => appName),
  };
}

const installedStates: ReadonlySet<string> = new Set(["INSTALLING", "INSTALLED", "RUNNING", "UNHEALTHY"]);

/** An app that failed after its installation stays installed. */
function targetOf({ state, installedAt, enabled }: FileAppFragment): AppTarget {
  const isInstalled = installedStates.has(state) || (state === "FAILED" && installedAt != null);
  if (!isInstalled) return "REGISTERED";
  return enabled ? "INSTALLED" : "DISABLED";
}

/** Returns what hands gave: without what the option `identity.groups` gave, and what installations gave to apps. */
async function readTuples(options: GlobalOptions, apps: readonly FileAppFragment[]): Promise<readonly Tuple[]> {
  const read = await readGrants(options);
  const required = new Set(apps.flatMap(requiredTuples).map(tupleText));
  return read
    .filter((tuple) => tuple.source == null && !required.has(tupleText(tuple)))
    .map(({ user, relation, object }) => ({ user, relation, object }));
}

function requiredTuples({ name, requiredPermissions }: FileAppFragment): readonly Tuple[] {
  return requiredPermissions.map(({ scope, resourceType }) => ({
    user: `app:${name}`,
    relation: "holder",
    object: scopeObject(scope, ownerOf(scope, resourceType)),
  }));
}

/** Returns the pipelines that are trusted. */
export async function readTrusts(options: GlobalOptions): Promise<readonly LiveTrust[]> {
  const { trustedPipelines } = await ask(options, TrustedPipelinesDocument, {});
  const trusts = trustedPipelines.map(
    ({ id, account, provider, apps, issuer, audience, claims, repository, repositoryId, ref, environment }): LiveTrust => ({
      id,
      account,
      provider,
      apps: [...apps].sort(compareTexts),
      repository: repository ?? undefined,
      repositoryId: repositoryId ?? undefined,
      ref: ref ?? undefined,
      environment: environment ?? undefined,
      issuer,
      audience,
      claims: Object.fromEntries(claims.map(({ name, value }) => [name, value])),
    }),
  );
  return trusts.sort(byText(trustText));
}
