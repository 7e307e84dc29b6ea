import type { AppRights, Clock, Component, Logger } from "@appserver/kernel";
import { OpenIdIssuers, type OpenIdIssuersOptions } from "./adapters/openid-issuers.ts";
import { sqlAccessRequests } from "./adapters/sql-access-requests.ts";
import { sqlAgentConsents } from "./adapters/sql-agent-consents.ts";
import { sqlAppMessages } from "./adapters/sql-app-messages.ts";
import { sqlGroupReadings } from "./adapters/sql-group-readings.ts";
import { sqlMappedGrants } from "./adapters/sql-mapped-grants.ts";
import { sqlOAuthRecords } from "./adapters/sql-oauth-records.ts";
import { sqlServiceAccounts } from "./adapters/sql-service-accounts.ts";
import { sqlTrustedPipelines } from "./adapters/sql-trusted-pipelines.ts";
import { type AccessRequestResolversDeps, accessRequestResolversOf } from "./api/access-requests.ts";
import { agentResolversOf } from "./api/agents.ts";
import { type AppMessageResolversDeps, appMessageResolversOf } from "./api/app-messages.ts";
import { type AccessResolversDeps, resolversOf } from "./api/graphql.ts";
import { type AccessGrpcContext, accessGrpc } from "./api/grpc.ts";
import { type PeopleResolversDeps, peopleResolversOf } from "./api/people.ts";
import { type ServiceAccountResolversDeps, serviceAccountResolversOf } from "./api/service-accounts.ts";
import { trustedPipelineResolversOf } from "./api/trusted-pipelines.ts";
import { RefusedChanges } from "./domain/refused-changes.ts";
import type {
  Accounts,
  AppKeys,
  Authorization,
  Cache,
  Database,
  GroupMemberships,
  IdentityProvider,
  Metrics,
  PermissionChanges,
  SqlExecutor,
} from "./ports.ts";
import {
  type AgentAccessContext,
  authenticateAgent,
  endConsent,
  giveConsent,
  isActivePerson,
} from "./use-cases/agents/agent-access.ts";
import { SignInRecords } from "./use-cases/agents/sign-in-records.ts";
import { appRights } from "./use-cases/app-rights.ts";
import { applyGroupMap, type GroupMap } from "./use-cases/apply-group-map.ts";
import { CallerAuthenticator } from "./use-cases/authenticate-caller/authenticate-caller.ts";
import { trustedKeys } from "./use-cases/authenticate-caller/trusted-keys.ts";
import type { ChangeOrigin } from "./use-cases/change-access.ts";
import { CachedPermissions } from "./use-cases/check-permission.ts";
import { exportRecords, type PersonContext, remove, setActive } from "./use-cases/person-accounts.ts";
import { type PreviewContext, type PreviewedGroup, previewGroups } from "./use-cases/preview-groups.ts";
import { type GroupsContext, groupMemberships } from "./use-cases/synchronise-groups.ts";
import { type ExchangeContext, type ExchangeResult, exchangeToken } from "./use-cases/trusted-pipelines/exchange-token.ts";
import type { TrustContext } from "./use-cases/trusted-pipelines/trust-pipeline.ts";
import { IdentityGroups } from "./workers/identity-groups.ts";
import { MachineTokenMemory } from "./workers/machine-token-memory.ts";

export { accessMigrations } from "../migrations/index.ts";
export { AnnouncedAuthorization, type AnnouncedAuthorizationDeps } from "./adapters/announced-authorization.ts";
export { pruneAccessRequests } from "./adapters/sql-access-requests.ts";
export { pruneAgentConsents } from "./adapters/sql-agent-consents.ts";
export { pruneAppMessages } from "./adapters/sql-app-messages.ts";
export { PermissionRefresh, type PermissionRefreshDeps } from "./api/events.ts";
export { type AccessMode, admit } from "./domain/access-mode.ts";
export { admitCall, admitRegistrant, messageBytes } from "./domain/call-admission.ts";
export type { AppKey, AppKeys, AppPages, PermissionChanges, RequestableApp, RequestableApps } from "./ports.ts";
export type { BrowserSession, CallerAuthenticator } from "./use-cases/authenticate-caller/authenticate-caller.ts";
export type { Reauthentication } from "./use-cases/authenticate-caller/reauthentication.ts";
export { isValidRsaSignature } from "./use-cases/authenticate-caller/rsa-signature.ts";
export { type WriteContext, writeTuples } from "./use-cases/change-access.ts";
export type { CachedPermissions } from "./use-cases/check-permission.ts";
export type { PreviewedGroup } from "./use-cases/preview-groups.ts";
export { schemaViewers } from "./use-cases/schema-viewers.ts";
export { type ExchangeResult, maxSubjectTokenLength } from "./use-cases/trusted-pipelines/exchange-token.ts";
export type { MachineTokenMemory } from "./workers/machine-token-memory.ts";
export { PermissionChangesWatch, type PermissionChangesWatchOptions } from "./workers/permission-changes-watch.ts";

export interface AccessDeps {
  readonly identity: IdentityProvider;
  /** Keys of the apps whose signatures are accepted. */
  readonly keys: AppKeys;
  readonly authorization: Authorization;
  /** Stores service accounts. Needs {@link accessMigrations}. */
  readonly database: Pick<Database, "listen" | "query">;
  /** Stores used signatures and permission decisions. */
  readonly cache: Cache;
  /** Decisions in the shared cache that are older than a change of the subject's permissions are ignored. */
  readonly changes: PermissionChanges;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Secret that all replicas have. It authenticates the decisions in the shared cache. At least 16 bytes. */
  readonly macKey: Uint8Array;
  /** How long a session check is reused, in milliseconds; 0: never (docs/interface/permissions.md#sessions). */
  readonly sessionCacheTtlMs: number;
  /** Origins, in addition to the platform's own, whose pages may use a session cookie for unsafe requests. */
  readonly allowedOrigins: readonly string[];
}

/** Identifies callers and checks their permissions, for every transport. */
export interface Access {
  readonly authenticator: CallerAuthenticator;
  /** The tokens of service accounts. They are read from the database until it has started. */
  readonly machines: MachineTokenMemory;
  readonly permissions: CachedPermissions;
  readonly rights: AppRights;
}

/** Throws RangeError if the MAC key is too short. */
export function createAccess(deps: AccessDeps): Access {
  const permissions = new CachedPermissions(deps);
  const machines = new MachineTokenMemory({ ...deps, table: sqlServiceAccounts });
  return {
    authenticator: new CallerAuthenticator({ ...deps, machines, apps: trustedKeys(deps.keys) }),
    machines,
    permissions,
    rights: appRights(permissions, deps.logger),
  };
}

/**
 * Resolvers of the parts of the GraphQL schema about who holds what and asks for what, accounts of people, service accounts and trusted
 * pipelines.
 */
export function accessResolvers(
  deps: Omit<
    AccessResolversDeps &
      PeopleResolversDeps &
      ServiceAccountResolversDeps &
      TrustContext &
      AccessRequestResolversDeps &
      AppMessageResolversDeps,
    keyof typeof stored | "refused"
  >,
): readonly Readonly<Record<string, object>>[] {
  const context = { ...deps, ...stored, refused: new RefusedChanges() };
  return [
    resolversOf(context),
    peopleResolversOf(context),
    serviceAccountResolversOf(context),
    trustedPipelineResolversOf(context),
    accessRequestResolversOf(context),
    appMessageResolversOf(context),
    agentResolversOf(context),
  ];
}

/** Returns the methods of `appserver.v2.AccessService`. */
export function createAccessGrpc(deps: Omit<AccessGrpcContext, keyof typeof stored>): ReturnType<typeof accessGrpc> {
  return accessGrpc({ ...deps, ...stored });
}

/** The tables of the service. */
const stored = {
  readings: sqlGroupReadings,
  mapped: sqlMappedGrants,
  accounts: sqlServiceAccounts,
  pipelines: sqlTrustedPipelines,
  requests: sqlAccessRequests,
  messages: sqlAppMessages,
  consents: sqlAgentConsents,
};

/** Deletes what people have asked for of an app: another app may get the name. */
export function forgetAccessRequests(database: SqlExecutor, appName: string): Promise<void> {
  return sqlAccessRequests.forgetApp(database, appName);
}

/** Deletes what an app has told people. */
export function forgetAppMessages(database: SqlExecutor, appName: string): Promise<void> {
  return sqlAppMessages.forgetApp(database, appName);
}

/** Returns what exchanges the OpenID tokens of pipelines for tokens of service accounts. Needs {@link accessMigrations}. */
export function createTokenExchange(
  deps: Omit<ExchangeContext, "pipelines" | "issuers"> & OpenIdIssuersOptions,
): (subjectToken: string) => Promise<ExchangeResult> {
  const context = { ...deps, pipelines: sqlTrustedPipelines, issuers: new OpenIdIssuers(deps) };
  return (subjectToken) => exchangeToken(context, subjectToken);
}

/** Returns what takes the groups of people. Needs {@link accessMigrations}. */
export function createGroupMemberships(deps: Omit<GroupsContext, "readings">): GroupMemberships {
  return groupMemberships({ ...deps, readings: sqlGroupReadings });
}

/** Returns what makes the grants of groups those that the option `identity.groups` says. */
export function createIdentityGroups(
  deps: Omit<GroupsContext, "readings"> & { readonly clock: Clock },
  map: GroupMap,
): Component {
  return new IdentityGroups({ ...deps, apply: () => applyGroupMap({ ...deps, mapped: sqlMappedGrants }, map) });
}

/** Returns what the option `identity.groups` would change for a person, without changing anything. */
export function previewIdentityGroups(
  deps: Omit<PreviewContext, "readings" | "mapped">,
  map: GroupMap,
  userId: string,
): Promise<readonly PreviewedGroup[]> {
  return previewGroups({ ...deps, readings: sqlGroupReadings, mapped: sqlMappedGrants }, map, userId);
}

/** Returns what an operator does with the accounts of people. */
export function createPersonCommands(
  deps: Omit<PersonContext, "readings" | "requests" | "messages" | "consents"> & { readonly people: Accounts },
) {
  const { people } = deps;
  const context = { ...deps, ...stored };
  return {
    /** Throws NOT_FOUND, and INVALID_STATE for the last administrator who can sign in, or for an account that was never completed. */
    setActive: (userId: string, isActive: boolean, origin: ChangeOrigin) =>
      setActive(context, people, { userId, isActive }, origin),
    /** Throws NOT_FOUND, and INVALID_STATE for the last administrator who can sign in. */
    remove: (userId: string, origin: ChangeOrigin) => remove(context, people, userId, origin),
    /** Returns what is stored of a person, without secrets. Throws NOT_FOUND. */
    export: (userId: string, origin: ChangeOrigin) => exportRecords(context, people, userId, origin),
  };
}

/** Returns what the sign-in of programs that run language models needs (docs/interface/mcp.md#consent). */
export function createAgentAccess(deps: Omit<AgentAccessContext, "consents">) {
  const context = { ...deps, consents: sqlAgentConsents };
  return {
    records: new SignInRecords(sqlOAuthRecords(deps.database), deps.clock),
    /** Throws INVALID_STATE if the person has given too much. */
    giveConsent: (...given: Parameters<typeof giveConsent> extends [unknown, ...infer Rest] ? Rest : never) =>
      giveConsent(context, ...given),
    endConsent: (id: string, reason: Parameters<typeof endConsent>[2]) => endConsent(context, id, reason),
    /** Returns the caller of an access token. Undefined if it is not one for this resource, or has ended. */
    authenticate: (token: string, resource: string) => authenticateAgent(context, token, resource),
    /** Returns whether a person has consented to the client. */
    hasClient: (clientId: string) => sqlAgentConsents.hasClient(deps.database, clientId),
    /** Throws SERVICE_UNAVAILABLE. */
    isActivePerson: (userId: string) => isActivePerson(context, userId),
  };
}

export type AgentAccess = ReturnType<typeof createAgentAccess>;
