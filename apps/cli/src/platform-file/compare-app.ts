import type { NeededApprovalFragment } from "../generated/operations.ts";
import { imageText } from "../image-text.ts";
import { canonicalJson, compareTexts } from "./canonical.ts";
import { differing } from "./differing.ts";
import { type AppEntry, approvalText, scheduleText } from "./platform-state.ts";
import type { LiveApp } from "./read-platform.ts";
import type { SettingChange, Step } from "./step.ts";

/** A release that is not registered yet. */
export interface NewRelease {
  /** Permissions that every platform asks an approval for. One may ask it for others, too. */
  readonly needsApproval: readonly NeededApprovalFragment[];
  readonly imageDigest: string | undefined;
  /** SHA-256 of the certificate that its registration pins. */
  readonly certificate: string;
  /** Whether the certificate that its entry names is there. */
  readonly hasCertificate: boolean;
  /** The apps without which it cannot be installed. */
  readonly needs: readonly string[];
}

/** Returns the release of an entry, if there is a folder that has it. */
export type FindRelease = (app: Pick<AppEntry, "name" | "manifest">) => NewRelease | undefined;

/** Returns the steps that make an app what its entry says. Without a release, there is none that registers it. */
export function compareApp(entry: AppEntry, live: LiveApp | undefined, find: FindRelease): readonly Step[] {
  const release = isRegistered(entry, live) ? undefined : find(entry);
  const registration = release ? [registered(entry, release)] : [];
  const isSwitched =
    live !== undefined && live.state !== "REGISTERED" && entry.state !== "REGISTERED" && live.manifest !== entry.manifest;
  const settings = compareSettings(entry, live).map((step) => ({ ...step, isLate: isSwitched }));
  return [
    ...registration,
    ...compareKeys(entry, release?.certificate ?? live?.certificate),
    ...settings,
    ...compareApprovals(entry, live),
    ...compareState(entry, live),
    ...compareSchedules(entry, live),
  ];
}

/** Returns the apps that an app needs. */
export function needsOfApp(entry: AppEntry | undefined, live: LiveApp | undefined, find: FindRelease): readonly string[] {
  const isCurrent = entry === undefined || live?.manifest === entry.manifest;
  return (isCurrent ? live?.needs : (find(entry)?.needs ?? live?.needs)) ?? [];
}

export function uninstalled(app: string, isPrune: boolean): Step {
  return { change: { kind: "uninstall", app }, isPrune };
}

/** Returns whether the release of an entry is registered. */
export function isRegistered({ manifest }: Pick<AppEntry, "manifest">, live: LiveApp | undefined): boolean {
  return live !== undefined && (live.manifest === manifest || live.releases.includes(manifest));
}

function registered({ name: app, version, manifest }: AppEntry, { imageDigest }: NewRelease): Step {
  const details = imageDigest === undefined ? [] : [imageText({ digest: imageDigest }) ?? ""];
  return { change: { kind: "register", app, version, manifest }, isPrune: false, details };
}

/** A registration pins the certificate of its manifest. The key may have been replaced since. */
function compareKeys({ name: app, manifest, certificate }: AppEntry, pinned: string | undefined): readonly Step[] {
  if (certificate === undefined || pinned === undefined || pinned === certificate) return [];
  return [{ change: { kind: "replace key", app, manifest, certificate }, isPrune: false }];
}

function compareSettings(entry: AppEntry, live: LiveApp | undefined): readonly Step[] {
  const { name: app } = entry;
  const stored = live?.settings ?? {};
  const secretsSet = live?.secrets ?? {};
  const changes = Object.entries(entry.settings)
    .filter(([key, to]) => canonicalJson(to) !== canonicalJson(stored[key]) || !Object.hasOwn(stored, key))
    .map(([key, to]): SettingChange => ({ key, from: stored[key], to }))
    .sort((a, b) => compareTexts(a.key, b.key));
  const secrets = Object.fromEntries(Object.entries(entry.secrets).filter(([key]) => !Object.hasOwn(secretsSet, key)));
  const isMentioned = (key: string): boolean => Object.hasOwn(entry.settings, key) || Object.hasOwn(entry.secrets, key);
  const left = Object.entries(stored)
    .filter(([key]) => !isMentioned(key))
    .map(([key, from]): SettingChange => ({ key, from, to: undefined }));
  const leftSecrets = Object.keys(secretsSet).filter((key) => !isMentioned(key));
  const hasSets = changes.length > 0 || Object.keys(secrets).length > 0;
  const hasLeft = left.length > 0 || leftSecrets.length > 0;
  return [
    ...(hasSets ? [{ change: { kind: "set", app, changes, secrets }, isPrune: false } as const] : []),
    ...(hasLeft ? [{ change: { kind: "unset", app, changes: left, secrets: leftSecrets }, isPrune: true } as const] : []),
  ];
}

function compareApprovals({ name: app, manifest, approvals }: AppEntry, live: LiveApp | undefined): readonly Step[] {
  // Approvals of other releases are known to their plans only.
  const isCurrent = live?.manifest === manifest;
  const [added, removed] = differing(approvals, live?.approvals ?? [], approvalText);
  return [
    ...(added.length > 0 ? [{ change: { kind: "approve", app, manifest, approvals: added }, isPrune: false } as const] : []),
    ...(removed.length > 0 && isCurrent
      ? [{ change: { kind: "withdraw", app, approvals: removed }, isPrune: true } as const]
      : []),
  ];
}

/** The steps of an installation. An uninstallation is a step of its own, which has its place among those of other apps. */
function compareState({ name: app, version, manifest, state }: AppEntry, live: LiveApp | undefined): readonly Step[] {
  if (state === "REGISTERED") return [];
  const step = (change: Step["change"]): Step => ({ change, isPrune: false });
  const isInstalled = live !== undefined && live.state !== "REGISTERED";
  const steps: Step[] = [];
  if (!isInstalled) steps.push(step({ kind: "install", app, version, manifest }));
  else if (live.manifest !== manifest) {
    const isNewer = live.available?.manifest === manifest || !live.releases.includes(manifest);
    const from = { from: live.version, fromManifest: live.manifest };
    steps.push(step({ kind: isNewer ? "upgrade" : "rollback", app, ...from, version, manifest }));
  }
  const isEnabled = live?.isEnabled ?? true;
  if (isEnabled !== (state === "INSTALLED")) steps.push(step({ kind: isEnabled ? "disable" : "enable", app }));
  return steps;
}

function compareSchedules({ name: app, pausedSchedules, state }: AppEntry, live: LiveApp | undefined): readonly Step[] {
  if (state === "REGISTERED") return [];
  const [paused, resumed] = differing(pausedSchedules, live?.pausedSchedules ?? [], scheduleText);
  return [
    ...paused.map((schedule): Step => ({ change: { kind: "pause", app, schedule }, isPrune: false })),
    ...resumed.map((schedule): Step => ({ change: { kind: "resume", app, schedule }, isPrune: true })),
  ];
}
