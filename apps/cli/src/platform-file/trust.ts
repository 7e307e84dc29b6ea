import { canonicalJson, compareTexts } from "./canonical.ts";

/** A pipeline that is trusted, as a file has it. */
export interface TrustEntry {
  /** Name of the service account. */
  readonly account: string;
  readonly provider: "GITHUB" | "GITLAB" | "OIDC";
  /** In order. */
  readonly apps: readonly string[];
  readonly repository: string | undefined;
  readonly repositoryId: string | undefined;
  readonly ref: string | undefined;
  readonly environment: string | undefined;
  /** Undefined: that of the provider. */
  readonly issuer: string | undefined;
  /** Undefined: the public address of the platform. */
  readonly audience: string | undefined;
  readonly claims: Readonly<Record<string, string>>;
}

/** A pipeline that a platform trusts. Its issuer and its audience are known. */
export interface LiveTrust extends TrustEntry {
  readonly id: string;
}

/** Returns whether both are about the same tokens. What the file leaves to the platform is not compared. */
export function isSamePipeline(entry: TrustEntry, live: LiveTrust): boolean {
  return (
    entry.repository === live.repository &&
    entry.repositoryId === live.repositoryId &&
    entry.ref === live.ref &&
    entry.environment === live.environment &&
    (entry.issuer === undefined || entry.issuer === live.issuer) &&
    (entry.audience === undefined || entry.audience === live.audience) &&
    canonicalJson(entry.claims) === canonicalJson(live.claims)
  );
}

/** Returns whether both give the same. */
export function isSameTrust(entry: TrustEntry, live: LiveTrust): boolean {
  const ofEntry = [entry.account, entry.provider, ...[...entry.apps].sort(compareTexts)];
  return canonicalJson(ofEntry) === canonicalJson([live.account, live.provider, ...live.apps]);
}

/** `github acme/notes (id 123) refs/heads/main for com.example.notes as ci` */
export function trustText(entry: TrustEntry): string {
  const { account, provider, apps, repository, repositoryId, ref, environment, issuer, claims } = entry;
  const parts = [
    provider.toLowerCase(),
    ...(repository === undefined ? [issuer] : [repository, `(id ${repositoryId})`]),
    ref,
    environment === undefined ? undefined : `environment ${environment}`,
    ...Object.entries(claims).map(([name, value]) => `${name}=${value}`),
    `for ${apps.join(", ")} as ${account}`,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}
