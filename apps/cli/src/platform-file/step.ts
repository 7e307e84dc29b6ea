import type { Tuple } from "@appserver/contracts/authorization";
import {
  type AccountGrant,
  type Approval,
  approvalText,
  type PausedSchedule,
  scheduleText,
  tupleText,
} from "./platform-state.ts";
import { type LiveTrust, type TrustEntry, trustText } from "./trust.ts";

/** A value before and after. `from` is undefined if none is set. */
export interface SettingChange {
  readonly key: string;
  readonly from: unknown;
  readonly to: unknown;
}

interface OfApp {
  readonly app: string;
}

/** What changes one thing of a platform. The data is all that it depends on, so that it is not done to another state. */
export type Change =
  | (OfApp & { readonly kind: "register"; readonly version: string; readonly manifest: string })
  | (OfApp & { readonly kind: "replace key"; readonly manifest: string; readonly certificate: string })
  | { readonly kind: "create account"; readonly account: string; readonly grants: readonly AccountGrant[] }
  | (OfApp & {
      readonly kind: "set";
      readonly changes: readonly SettingChange[];
      /** Keys with the variables that have their values. */
      readonly secrets: Readonly<Record<string, string>>;
    })
  | (OfApp & { readonly kind: "approve"; readonly manifest: string; readonly approvals: readonly Approval[] })
  | (OfApp & { readonly kind: "install"; readonly version: string; readonly manifest: string })
  | (OfApp & {
      readonly kind: "upgrade" | "rollback";
      readonly from: string;
      readonly fromManifest: string;
      readonly version: string;
      readonly manifest: string;
    })
  | (OfApp & { readonly kind: "enable" | "disable" | "uninstall" })
  | (OfApp & { readonly kind: "pause" | "resume"; readonly schedule: PausedSchedule })
  | { readonly kind: "grant" | "revoke"; readonly tuple: Tuple }
  | { readonly kind: "trust" | "change trust"; readonly trust: TrustEntry }
  | { readonly kind: "distrust"; readonly trust: LiveTrust }
  | { readonly kind: "grant account" | "revoke account"; readonly account: string; readonly grant: AccountGrant }
  | (OfApp & { readonly kind: "unset"; readonly changes: readonly SettingChange[]; readonly secrets: readonly string[] })
  | (OfApp & { readonly kind: "withdraw"; readonly approvals: readonly Approval[] })
  | { readonly kind: "delete account"; readonly account: string };

/** A change that makes the platform what the file says. */
export interface Step {
  readonly change: Change;
  /** Whether it takes something that the file does not mention: only `--prune` does it. */
  readonly isPrune: boolean;
  /** Whether it is done after the switch to another release: that has the settings. */
  readonly isLate?: boolean;
  /** What else people should know of it, as a plan of the app has it. */
  readonly details?: readonly string[];
}

/** Returns `+` for something that the file has and the platform lacks, `-` for the contrary, `~` for what differs. */
export function signOf({ kind }: Change): "+" | "-" | "~" {
  switch (kind) {
    case "uninstall":
    case "revoke":
    case "revoke account":
    case "distrust":
    case "unset":
    case "withdraw":
    case "delete account":
      return "-";
    case "replace key":
    case "change trust":
    case "upgrade":
    case "rollback":
    case "enable":
    case "disable":
    case "pause":
    case "resume":
      return "~";
    default:
      return "+";
  }
}

/** Returns a step as lines of a plan, each with its sign. */
export function stepLines({ change }: Step): readonly string[] {
  if (change.kind === "set" || change.kind === "unset") return settingLines(change);
  return [`${signOf(change)} ${changeText(change)}`];
}

function settingLines(change: Extract<Change, { kind: "set" | "unset" }>): readonly string[] {
  const { app } = change;
  if (change.kind === "unset")
    return [
      ...change.changes.map(({ key, from }) => `- unset ${key} of ${app}: ${JSON.stringify(from)}`),
      ...change.secrets.map((key) => `- unset ${key} of ${app} (secret)`),
    ];
  return [
    ...change.changes.map(({ key, from, to }) =>
      from === undefined
        ? `+ set ${key} of ${app}: ${JSON.stringify(to)}`
        : `~ set ${key} of ${app}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`,
    ),
    ...Object.entries(change.secrets).map(([key, variable]) => `+ set ${key} of ${app} from ${variable} (secret)`),
  ];
}

/** Returns what a change does, in the words of the commands that do the same. */
function changeText(change: Exclude<Change, { kind: "set" | "unset" }>): string {
  switch (change.kind) {
    case "register":
    case "install":
      return `${change.kind} ${change.app} ${change.version} (manifest ${change.manifest.slice(0, 12)})`;
    case "upgrade":
    case "rollback":
      return `${change.kind} ${change.app} ${change.from} -> ${change.version} (manifest ${change.manifest.slice(0, 12)})`;
    case "replace key":
      return `replace key of ${change.app} (certificate ${change.certificate.slice(0, 12)})`;
    case "enable":
    case "disable":
    case "uninstall":
      return `${change.kind} ${change.app}`;
    case "approve":
    case "withdraw":
      return `${change.kind} ${change.approvals.map(approvalText).join(", ")} for ${change.app}`;
    case "pause":
    case "resume":
      return `${change.kind} ${scheduleText(change.schedule)} of ${change.app}`;
    case "grant":
    case "revoke":
      return `${change.kind} ${tupleText(change.tuple)}`;
    case "trust":
    case "change trust":
    case "distrust":
      return `${change.kind} ${trustText(change.trust)}`;
    case "grant account":
    case "revoke account":
      return `${change.kind.slice(0, change.kind.indexOf(" "))} service account ${change.account} ${grantText(change.grant)}`;
    case "create account":
      return [`create service account ${change.account}`, change.grants.map(grantText).join(", ")].filter(Boolean).join(": ");
    case "delete account":
      return `delete service account ${change.account}`;
  }
}

function grantText({ relation, object }: AccountGrant): string {
  return `${relation} ${object}`;
}
