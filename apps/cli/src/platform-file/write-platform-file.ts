import { schemaLine } from "@appserver/contracts/schemas";
import { Document, isCollection, isMap, isSeq } from "yaml";
import { byText, sorted } from "./canonical.ts";
import { formOf } from "./grant-form.ts";
import { type AccountGrant, type AppEntry, type PlatformState, tupleText } from "./platform-state.ts";
import type { TrustEntry } from "./trust.ts";

/** Returns the text of a file. Equal states of one platform have equal texts. */
export function platformFileText({ apps, accounts, trusts, grants }: PlatformState, httpUrl: string): string {
  const document = new Document({
    apps: apps.map(appFields),
    service_accounts: accounts.map(({ name, grants: given }) => ({ name, ...list("grants", given.flatMap(grantFields)) })),
    trusted_pipelines: trusts.map((trust) => trustFields(trust, httpUrl)),
    grants: [...grants]
      .sort(byText(tupleText))
      .flatMap((tuple) => grantFields(tuple).map((fields) => ({ subject: tuple.user, ...fields }))),
  });
  shorten(document.get("grants"));
  const named = [document.get("apps"), document.get("service_accounts")];
  for (const section of named)
    if (isSeq(section))
      for (const entry of section.items)
        if (isMap(entry)) for (const name of ["approved_permissions", "paused_schedules", "grants"]) shorten(entry.get(name));
  return `${schemaLine(httpUrl, "platform")}\n${document.toString({ lineWidth: 120, flowCollectionPadding: true })}`;
}

/** Writes each entry of a list in one line. */
function shorten(list: unknown): void {
  if (isSeq(list)) for (const entry of list.items) if (isCollection(entry)) entry.flow = true;
}

function appFields(app: AppEntry): object {
  const { name, version, manifest, certificate, state, settings, secrets, approvals, pausedSchedules } = app;
  return {
    name,
    version,
    manifest,
    certificate,
    state,
    ...map("settings", settings),
    ...map("secrets", secrets),
    ...list(
      "approved_permissions",
      approvals.map(({ scope, of }) => ({ scope, ...(of !== undefined && { of }) })),
    ),
    ...list(
      "paused_schedules",
      pausedSchedules.map(({ activity, key }) => ({ activity, ...(key !== "" && { key }) })),
    ),
  };
}

function grantFields(grant: AccountGrant): readonly object[] {
  const form = formOf(grant);
  return form ? [form] : [];
}

function map(name: string, values: Readonly<Record<string, unknown>>): object {
  return Object.keys(values).length === 0 ? {} : { [name]: sorted(values) };
}

function list(name: string, values: readonly object[]): object {
  return values.length === 0 ? {} : { [name]: values };
}

/** The platform's own address is another one on another platform. */
function trustFields(trust: TrustEntry, httpUrl: string): object {
  const { account, provider, apps, repository, repositoryId, ref, environment, issuer, audience, claims } = trust;
  return {
    account,
    provider,
    apps,
    ...(repository !== undefined && { repository, repository_id: repositoryId, ref }),
    ...(environment !== undefined && { environment }),
    issuer,
    ...(audience !== new URL(httpUrl).origin && { audience }),
    ...map("claims", claims),
  };
}
