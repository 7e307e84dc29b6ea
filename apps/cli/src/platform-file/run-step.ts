import { type PlatformClient, registerApp } from "@appserver/sdk";
import { ask, command, found } from "../client.ts";
import { untilDone } from "../commands/follow-operation.ts";
import {
  ApprovePermissionsDocument,
  FileAppDocument,
  GrantAccessDocument,
  ReplaceKeyDocument,
  RevokeAccessDocument,
  RevokePermissionsDocument,
  SchedulePausesDocument,
  SetAppEnabledDocument,
  SetScheduleEnabledDocument,
  UninstallAppDocument,
} from "../generated/operations.ts";
import type { Environment, GlobalOptions } from "../global-options.ts";
import { RegistrationRefusal, registrationHints } from "../registration-refusal.ts";
import { changeAccounts } from "./change-accounts.ts";
import { changeSettings } from "./change-settings.ts";
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
    case "enable":
    case "disable":
    case "uninstall":
    case "withdraw":
      return await changeApp(options, change);
    default:
      return await changeAccounts(options, change);
  }
}

/** What changes an app as one command does. */
type AppChange = Extract<Change, { readonly kind: "enable" | "disable" | "uninstall" | "withdraw" }>;

async function changeApp(options: GlobalOptions, change: AppChange): Promise<void> {
  const { app: name } = change;
  if (change.kind === "withdraw") {
    const scopes = [...new Set(change.approvals.map(({ scope }) => scope))];
    await command(options, RevokePermissionsDocument, { name, scopes });
    return;
  }
  const { operation } =
    change.kind === "uninstall"
      ? await command(options, UninstallAppDocument, { name, purgeData: false })
      : await command(options, SetAppEnabledDocument, { name, enabled: change.kind === "enable" });
  await untilDone(options, operation, { isShown: !options.json });
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
