import { compareApp, type FindRelease, needsOfApp, uninstalled } from "./compare-app.ts";
import { dependencyOrder } from "./dependency-order.ts";
import { differing } from "./differing.ts";
import { type AccountEntry, type AccountGrant, type AppEntry, tupleText } from "./platform-state.ts";
import type { LiveApp, LivePlatform } from "./read-platform.ts";
import type { ReadPlatformFile } from "./read-platform-file.ts";
import type { Change, Step } from "./step.ts";
import { isSamePipeline, isSameTrust } from "./trust.ts";

/** The steps in the order in which they are done: what others depend on first, what is taken last. */
const order: readonly Change["kind"][] = [
  "register",
  "replace key",
  "create account",
  "set",
  "approve",
  "install",
  "upgrade",
  "rollback",
  "enable",
  "disable",
  "pause",
  "resume",
  "grant",
  "grant account",
  "trust",
  "change trust",
  "distrust",
  "uninstall",
  "unset",
  "withdraw",
  "revoke account",
  "delete account",
  "revoke",
];

/** Returns the steps that make a platform what the file says, with those that take what the file does not mention. */
export function compare(file: ReadPlatformFile, live: LivePlatform, find: FindRelease): readonly Step[] {
  const steps = [
    ...compareApps(file, live, find),
    ...compareAccounts(file, live),
    ...compareTrusts(file, live),
    ...compareGrants(file, live),
  ];
  return steps
    .map((step, index) => ({ step, rank: rankOf(step), index }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ step }) => step);
}

/** What an app switches to may have other settings: these are set afterwards. */
function rankOf({ change, isLate = false }: Step): number {
  const kind = isLate ? "enable" : change.kind === "upgrade" || change.kind === "rollback" ? "install" : change.kind;
  return order.indexOf(kind);
}

function compareApps(file: ReadPlatformFile, live: LivePlatform, find: FindRelease): readonly Step[] {
  if (!file.sections.has("apps")) return [];
  const byName = new Map(live.apps.map((app) => [app.name, app]));
  const entries = new Map(file.apps.map((app) => [app.name, app]));
  const needs = (name: string): readonly string[] => needsOfApp(entries.get(name), byName.get(name), find);
  const wanted = dependencyOrder([...entries.keys()], needs).flatMap((name) => entries.get(name) ?? []);
  const kept = wanted.flatMap((app) => compareApp(app, byName.get(app.name), find));
  const others = live.apps.filter(({ name, state }) => !entries.has(name) && state !== "REGISTERED").map(({ name }) => name);
  const removed = [...wanted.filter((app) => isUninstalled(app, byName.get(app.name))).map(({ name }) => name), ...others];
  const isOther = new Set(others);
  // What needs another app is uninstalled before it.
  return [
    ...kept,
    ...dependencyOrder(removed, needs)
      .toReversed()
      .map((name) => uninstalled(name, isOther.has(name))),
  ];
}

function isUninstalled({ state }: AppEntry, live: LiveApp | undefined): boolean {
  return state === "REGISTERED" && live !== undefined && live.state !== "REGISTERED";
}

function compareAccounts(file: ReadPlatformFile, live: LivePlatform): readonly Step[] {
  if (!file.sections.has("service_accounts")) return [];
  const existing = new Map(live.accounts.map((account) => [account.name, account]));
  const wanted = new Set(file.accounts.map(({ name }) => name));
  const steps = file.accounts.flatMap((account) => compareAccount(account, existing.get(account.name)));
  const others = live.accounts.filter(({ name }) => !wanted.has(name));
  return [...steps, ...others.map(({ name }) => taken({ kind: "delete account", account: name }))];
}

function compareAccount({ name: account, grants }: AccountEntry, existing: AccountEntry | undefined): readonly Step[] {
  if (!existing) return [{ change: { kind: "create account", account, grants }, isPrune: false }];
  const [added, removed] = differing(grants, existing.grants, grantKey);
  return [
    ...added.map((grant): Step => ({ change: { kind: "grant account", account, grant }, isPrune: false })),
    ...removed.map((grant) => taken({ kind: "revoke account", account, grant })),
  ];
}

function compareTrusts(file: ReadPlatformFile, live: LivePlatform): readonly Step[] {
  if (!file.sections.has("trusted_pipelines")) return [];
  const others = new Set(live.trusts);
  const steps = file.trusts.flatMap((trust): readonly Step[] => {
    const existing = [...others].find((each) => isSamePipeline(trust, each));
    if (!existing) return [{ change: { kind: "trust", trust }, isPrune: false }];
    others.delete(existing);
    return isSameTrust(trust, existing) ? [] : [{ change: { kind: "change trust", trust }, isPrune: false }];
  });
  return [...steps, ...[...others].map((trust) => taken({ kind: "distrust", trust }))];
}

function grantKey({ relation, object }: AccountGrant): string {
  return `${relation} ${object}`;
}

function compareGrants(file: ReadPlatformFile, live: LivePlatform): readonly Step[] {
  if (!file.sections.has("grants")) return [];
  const [added, removed] = differing(file.grants, live.grants, tupleText);
  return [
    ...added.map((tuple): Step => ({ change: { kind: "grant", tuple }, isPrune: false })),
    ...removed.map((tuple) => taken({ kind: "revoke", tuple })),
  ];
}

/** A step that takes what the file does not mention. */
function taken(change: Change): Step {
  return { change, isPrune: true };
}
