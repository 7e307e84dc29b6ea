import { oncePerObject } from "@appserver/kernel";
import { parseCertificate } from "../domain/certificate.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { isApproved, requirementsOf } from "../domain/required-permissions.ts";
import type { MarketplaceContext } from "./context.ts";

/**
 * What an app waits for an operator to do: approve a permission, fix a condition, or replace a certificate that expires within 30 days
 * or has expired.
 */
export type AppNeed = "APPROVAL" | "CONDITION" | "CERTIFICATE";

const certificateNoticeMs = 30 * 24 * 60 * 60 * 1_000;

/** Returns the names of the apps that have one of these needs. The number of statements does not depend on the number of apps. */
export async function appsWithNeeds(context: MarketplaceContext, needs: readonly AppNeed[]): Promise<readonly string[]> {
  const apps = context.apps.all();
  const found = await Promise.all(needs.map((need) => finders[need](context, apps)));
  return [...new Set(found.flat().map(({ app }) => app.name))];
}

type Finder = (context: MarketplaceContext, apps: readonly LiveApp[]) => Promise<readonly LiveApp[]>;

const finders: Readonly<Record<AppNeed, Finder>> = {
  APPROVAL: async ({ approvals, policy }, apps) => {
    const asking = apps.filter(({ manifest }) => manifest.requiredPermissions.length > 0);
    const given = await approvals.approvalsOf(asking.map(({ app }) => app.id));
    return asking.filter(({ app, manifest }) =>
      requirementsOf(manifest, policy.crossAppApproval).some((each) => !isApproved(each, given.get(app.id) ?? [])),
    );
  },
  CONDITION: async ({ participants }, apps) => {
    const found = await Promise.all(participants.map(async (participant) => (await participant.faultyAmong?.(apps)) ?? []));
    const faulty = new Set(found.flat());
    return apps.filter(({ app }) => faulty.has(app.id) || app.conditions.some(({ status }) => status === "False"));
  },
  CERTIFICATE: async ({ clock }, apps) => {
    const limit = clock.now() + certificateNoticeMs;
    return apps.filter((live) => (certificateExpiry(live)?.getTime() ?? Number.POSITIVE_INFINITY) < limit);
  },
};

/** Returns when the certificate of an app expires. Undefined if it cannot be read. Each certificate is parsed once. */
export const certificateExpiry: (live: LiveApp) => Date | undefined = oncePerObject(
  ({ certificate }: LiveApp) => parseCertificate(certificate)?.x509.validToDate,
);
