import { readFile } from "node:fs/promises";
import { grantableSubject, subjectForm, type Tuple } from "@appserver/contracts/authorization";
import { type Misfit, placedMisfit, placesOf, placeText, readFields } from "@appserver/contracts/fields";
import {
  type PlatformApp,
  PlatformAppState,
  type PlatformFile,
  PlatformFileSchema,
  PlatformPipelineProvider,
  type PlatformTrustedPipeline,
} from "@appserver/contracts/proto/appserver/v2/platform_file";
import { fromJson, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { LineCounter, parseDocument } from "yaml";
import { byText, compareTexts } from "./canonical.ts";
import { checkFields } from "./check-fields.ts";
import { type GrantForm, grantOf } from "./grant-form.ts";
import { PlatformFileError } from "./platform-file-error.ts";
import {
  type AccountGrant,
  type AppEntry,
  type AppTarget,
  approvalText,
  type PlatformState,
  scheduleText,
  tupleText,
} from "./platform-state.ts";
import { type TrustEntry, trustText } from "./trust.ts";

export type Section = "apps" | "service_accounts" | "trusted_pipelines" | "grants";

/** What a file says, and where. */
export interface ReadPlatformFile extends PlatformState {
  /** The sections that it has. What others would say is unknown, so that nothing of theirs is removed. */
  readonly sections: ReadonlySet<Section>;
  /** Returns the place of an app, for messages: `platform.yaml:12:5`. */
  placeOf(appName: string): string;
}

/** Reads a file. Throws {@link PlatformFileError} with every problem. */
export async function readPlatformFile(file: string): Promise<ReadPlatformFile> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new PlatformFileError([error.code === "ENOENT" ? `${file} is missing` : `could not read ${file}: ${error.message}`]);
  });
  return parsePlatformFile(text, file);
}

/** `file`: its name, for messages. */
export function parsePlatformFile(text: string, file: string): ReadPlatformFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const places = placesOf(document, lines);
  if (document.errors.length > 0)
    throw new PlatformFileError(document.errors.map(({ message, pos }) => `${placeText(file, places, pos[0])}: ${message}`));
  const misfits: Misfit[] = [];
  const given: unknown = document.toJS() ?? {};
  const fields = readFields(PlatformFileSchema, given, [], misfits);
  if (misfits.length === 0) checkFields(PlatformFileSchema, given as Readonly<Record<string, unknown>>, [], misfits);
  const read = misfits.length === 0 ? fromJson(PlatformFileSchema, fields) : undefined;
  const state = read && stateOf(read, misfits);
  if (!state || misfits.length > 0)
    throw new PlatformFileError(misfits.map((misfit) => placedMisfit(misfit, file, places, "the file")));
  const indexes = new Map(read.apps.map(({ name }, index) => [name, index]));
  return {
    ...state,
    sections: new Set(Object.keys(given as object) as Section[]),
    placeOf: (appName) => placeText(file, places, places.offsetOf(["apps", indexes.get(appName) ?? 0]) ?? 0),
  };
}

function stateOf(read: PlatformFile, misfits: Misfit[]): PlatformState {
  const apps = read.apps.map((app, index) => appOf(app, ["apps", index], misfits));
  const accounts = read.serviceAccounts.map(({ name, grants }, index) => {
    const path = ["service_accounts", index, "grants"] as const;
    return { name, grants: grants.flatMap((grant, at) => readGrant(grant, [...path, at], misfits) ?? []) };
  });
  const grants = read.grants.flatMap((grant, index): readonly Tuple[] => {
    const path = ["grants", index] as const;
    checkSubject(grant.subject, [...path, "subject"], misfits);
    const what = readGrant(grant, path, misfits);
    return what ? [{ user: grant.subject, ...what }] : [];
  });
  const trusts = read.trustedPipelines.map(trustOf);
  refuseDuplicates(trusts, trustText, ["trusted_pipelines"], misfits);
  refuseDuplicates(apps, ({ name }) => name, ["apps"], misfits);
  refuseDuplicates(accounts, ({ name }) => name, ["service_accounts"], misfits);
  refuseDuplicates(grants, tupleText, ["grants"], misfits);
  return {
    apps: apps.sort(byText(({ name }) => name)),
    accounts: accounts.sort(byText(({ name }) => name)),
    trusts: trusts.sort(byText(trustText)),
    grants: grants.sort(byText(tupleText)),
  };
}

const providers: Readonly<Record<number, TrustEntry["provider"]>> = {
  [PlatformPipelineProvider.GITHUB]: "GITHUB",
  [PlatformPipelineProvider.GITLAB]: "GITLAB",
  [PlatformPipelineProvider.OIDC]: "OIDC",
};

function trustOf({ account, provider, apps, claims, ...conditions }: PlatformTrustedPipeline): TrustEntry {
  const { repository, repositoryId, ref, environment, issuer, audience } = conditions;
  return {
    account,
    provider: providers[provider] ?? "OIDC",
    apps: [...apps].sort(compareTexts),
    repository: repository || undefined,
    repositoryId: repositoryId || undefined,
    ref: ref || undefined,
    environment: environment || undefined,
    issuer: issuer || undefined,
    audience: audience || undefined,
    claims,
  };
}

const targets: Readonly<Record<number, AppTarget>> = {
  [PlatformAppState.REGISTERED]: "REGISTERED",
  [PlatformAppState.INSTALLED]: "INSTALLED",
  [PlatformAppState.DISABLED]: "DISABLED",
};

function appOf(app: PlatformApp, path: Misfit["path"], misfits: Misfit[]): AppEntry {
  const { name, version, manifest, secrets } = app;
  const settings = Object.fromEntries(Object.entries(app.settings).map(([key, value]) => [key, toJson(ValueSchema, value)]));
  for (const key of Object.keys(settings)) {
    const isNull = settings[key] === null;
    if (isNull)
      misfits.push({ path: [...path, "settings", key], message: "must have a value; leave the key out for the default" });
    if (Object.hasOwn(secrets, key)) misfits.push({ path: [...path, "secrets", key], message: "is in settings as well" });
  }
  const approvals = app.approvedPermissions.map(({ scope, of }) => ({ scope, of: of || undefined }));
  const pausedSchedules = app.pausedSchedules.map(({ activity, key }) => ({ activity, key }));
  refuseDuplicates(approvals, approvalText, [...path, "approved_permissions"], misfits);
  refuseDuplicates(pausedSchedules, scheduleText, [...path, "paused_schedules"], misfits);
  const state = targets[app.state] ?? "REGISTERED";
  if (state === "REGISTERED" && pausedSchedules.length > 0)
    misfits.push({
      path: [...path, "paused_schedules"],
      message: "must be empty: an app that is not installed has no schedules",
    });
  const certificate = app.certificate || undefined;
  return { name, version, manifest, certificate, state, settings, secrets, approvals, pausedSchedules };
}

function readGrant(grant: GrantForm, path: Misfit["path"], misfits: Misfit[]): AccountGrant | undefined {
  const { role, app, level, permission } = grant;
  const given = Object.fromEntries(Object.entries({ role, app, level, permission }).filter(([, text]) => text !== ""));
  const read = grantOf(given);
  if (!("problem" in read)) return read;
  misfits.push({ path, message: read.problem });
  return undefined;
}

const subjects = new RegExp(`^(?:user:\\*|${grantableSubject})$`);

function checkSubject(subject: string, path: Misfit["path"], misfits: Misfit[]): void {
  if (subject.startsWith("machine:")) misfits.push({ path, message: "is a service account: give it in service_accounts" });
  else if (!subjects.test(subject)) misfits.push({ path, message: `must be ${subjectForm}, or user:*` });
}

function refuseDuplicates<T>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
  path: Misfit["path"],
  misfits: Misfit[],
): void {
  const seen = new Set<string>();
  entries.forEach((entry, index) => {
    const key = keyOf(entry);
    if (seen.has(key)) misfits.push({ path: [...path, index], message: `is there already: ${key}` });
    seen.add(key);
  });
}
