import { type PlatformClient, registerApp } from "@appserver/sdk";
import { ask, command, found } from "../client.ts";
import { untilDone } from "../commands/follow-operation.ts";
import {
  ApprovePermissionsDocument,
  CreateServiceAccountDocument,
  DeleteServiceAccountDocument,
  FileAppDocument,
  GrantAccessDocument,
  ReplaceKeyDocument,
  RevokeAccessDocument,
  RevokePermissionsDocument,
  RevokeServiceAccountTokenDocument,
  SchedulePausesDocument,
  ServiceAccountsDocument,
  SetAppEnabledDocument,
  SetScheduleEnabledDocument,
  UninstallAppDocument,
} from "../generated/operations.ts";
import type { Environment, GlobalOptions } from "../global-options.ts";
import { RegistrationRefusal, registrationHints } from "../registration-refusal.ts";
import { changeSettings } from "./change-settings.ts";
import type { AccountGrant } from "./platform-state.ts";
import { loadCertificate, loadRelease } from "./releases.ts";
import type { Change } from "./step.ts";
import { installPlanned, switchPlanned } from "./take-release.ts";

/** What steps need besides their changes. */
export interface StepContext {
  readonly options: GlobalOptions;
  /** Called for the first registration. */
  readonly client: () => PlatformClient;
  readonly registrationToken: string | undefined;
  readonly releases: string | undefined;
  readonly environment: Environment;
}

/** Does one step, and waits for its end. Rejects if the platform refuses it, or is not what the step was planned for. */
export async function runStep(context: StepContext, change: Change): Promise<void> {
  const { options, environment } = context;
  switch (change.kind) {
    case "register":
      return await register(context, change);
    case "replace key":
      return await replaceKey(context, change);
    case "set":
    case "unset":
      return await changeSettings(options, change, environment);
    case "approve":
      return await approve(options, change);
    case "install":
      return await installPlanned(options, change);
    case "upgrade":
    case "rollback":
      return await switchPlanned(options, change);
    case "pause":
    case "resume":
      return await switchSchedule(options, change);
    case "grant":
      await ask(options, GrantAccessDocument, change.tuple);
      return;
    case "revoke":
      await ask(options, RevokeAccessDocument, change.tuple);
      return;
    default:
      return await runOther(options, change);
  }
}

type OtherChange = Extract<
  Change,
  {
    readonly kind:
      | "create account"
      | "grant account"
      | "revoke account"
      | "delete account"
      | "enable"
      | "disable"
      | "uninstall"
      | "withdraw";
  }
>;

async function runOther(options: GlobalOptions, change: OtherChange): Promise<void> {
  switch (change.kind) {
    case "enable":
    case "disable": {
      const enabled = change.kind === "enable";
      const { operation } = await command(options, SetAppEnabledDocument, { name: change.app, enabled });
      await untilDone(options, operation, { isShown: !options.json });
      return;
    }
    case "uninstall": {
      const { operation } = await command(options, UninstallAppDocument, { name: change.app, purgeData: false });
      await untilDone(options, operation, { isShown: !options.json });
      return;
    }
    case "withdraw": {
      const scopes = [...new Set(change.approvals.map(({ scope }) => scope))];
      await command(options, RevokePermissionsDocument, { name: change.app, scopes });
      return;
    }
    case "create account":
      return await createAccount(options, change.account, change.grants);
    case "delete account":
      await ask(options, DeleteServiceAccountDocument, { id: await accountId(options, change.account) });
      return;
    default:
      return await changeAccount(options, change);
  }
}

async function register(
  { options, client, registrationToken, releases }: StepContext,
  { app: name, manifest }: Extract<Change, { kind: "register" }>,
): Promise<void> {
  const release = releases === undefined ? undefined : await loadRelease(releases, { name, manifest });
  if (!release) throw new Error(`the release ${manifest} of ${name} is no longer in ${releases}`);
  const { manifest: content, signature } = release;
  const signed = { manifest: content, ...(signature && { signature }) };
  await RegistrationRefusal.of(registerApp(client(), signed, registrationToken), registrationHints(options, registrationToken));
}

async function replaceKey(
  { options, releases }: StepContext,
  { app: name, manifest, certificate: hash }: Extract<Change, { kind: "replace key" }>,
): Promise<void> {
  const certificate = releases === undefined ? undefined : await loadCertificate(releases, { name, manifest }, hash);
  if (certificate === undefined)
    throw new Error(`the certificate ${hash} of ${name} is not in ${releases ?? "a folder of releases"}`);
  await command(options, ReplaceKeyDocument, { name, certificate });
}

async function approve(
  options: GlobalOptions,
  { app: name, manifest: manifestDigest, approvals }: Extract<Change, { kind: "approve" }>,
): Promise<void> {
  const { requiredPermissions, manifestDigest: current } = found(
    (await ask(options, FileAppDocument, { name })).app,
    `app ${name}`,
  );
  const open = new Set(requiredPermissions.filter(({ approved }) => !approved).map(({ scope }) => scope));
  // A release that was just registered may need no approval here of what another platform approved.
  const scopes = [...new Set(approvals.map(({ scope }) => scope))].filter(
    (scope) => current !== manifestDigest || open.has(scope),
  );
  if (scopes.length > 0) await command(options, ApprovePermissionsDocument, { name, scopes, manifestDigest });
}

async function switchSchedule(
  options: GlobalOptions,
  { kind, app: appName, schedule }: Extract<Change, { kind: "pause" | "resume" }>,
): Promise<void> {
  const { activitySchedules } = await ask(options, SchedulePausesDocument, { appName });
  const { activity, key } = schedule;
  const { id } = found(
    activitySchedules.find((each) => each.activity === activity && each.key === key),
    `schedule of ${activity} of ${appName}`,
  );
  await ask(options, SetScheduleEnabledDocument, { id, enabled: kind === "resume" });
}

/** A token that is never shown, and ends at once. */
const firstTokenMs = 60_000;

/** The platform creates an account with a token, which is not what the file says: it is revoked, and its secret is not stored. */
async function createAccount(options: GlobalOptions, name: string, grants: readonly AccountGrant[]): Promise<void> {
  const expiresAt = new Date(Date.now() + firstTokenMs).toISOString();
  const { createServiceAccount } = await ask(options, CreateServiceAccountDocument, { name, grants, expiresAt });
  const { account, token } = createServiceAccount;
  await ask(options, RevokeServiceAccountTokenDocument, { id: account.id, tokenId: token.id });
}

async function changeAccount(
  options: GlobalOptions,
  { kind, account, grant }: Extract<Change, { kind: "grant account" | "revoke account" }>,
): Promise<void> {
  const tuple = { user: `machine:${await accountId(options, account)}`, ...grant };
  if (kind === "grant account") await ask(options, GrantAccessDocument, tuple);
  else await ask(options, RevokeAccessDocument, tuple);
}

async function accountId(options: GlobalOptions, name: string): Promise<string> {
  const { serviceAccounts } = await ask(options, ServiceAccountsDocument, {});
  return found(
    serviceAccounts.find((account) => account.name === name),
    `service account ${name}`,
  ).id;
}
