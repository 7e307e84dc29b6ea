import type { KeyObject } from "node:crypto";
import type { Call, MachineCaller, MaybePromise, PipelineRun, RecentPermissionChanges } from "@appserver/kernel";
import type { SqlExecutor, Transaction, Tuple } from "@appserver/kernel/ports";
import type { AgentConsent, OAuthRecord } from "./domain/agent-consent.ts";
import type { TokenClaims, TokenConditions } from "./domain/token-conditions.ts";

export type {
  AuditLog,
  Authorization,
  Cache,
  CounterHandle,
  Database,
  GroupMemberships,
  IdentityProvider,
  MarkOutcome,
  Metrics,
  Outbox,
  Person,
  Session,
  SessionCredential,
  SqlExecutor,
  ToldGroups,
  Transaction,
} from "@appserver/kernel/ports";

/** Public keys of apps, for request signatures. */
export interface AppKeys {
  /** Returns the key from memory, if the app's signatures are accepted. */
  find(appName: string): MaybePromise<AppKey | undefined>;
  /** Returns the milliseconds since the memory last matched what is stored. */
  ageMs(): number;
  /** Reads the app and its key again. Rejects if the database is unreachable. */
  refresh(appName: string): Promise<void>;
}

export interface AppKey {
  /** The app's id. */
  readonly id: string;
  /** The key of the app's certificate. */
  readonly key: KeyObject;
  /** Validity of the certificate, in milliseconds since the epoch. */
  readonly validFrom?: number;
  readonly validTo?: number;
  /** Whether an operator has disabled the app. Its signatures are then refused. */
  readonly isDisabled?: boolean;
  /** The keys of its deployments that run. */
  readonly workloadKeys?: readonly WorkloadKey[];
}

/** The key that the platform made for one deployment. */
export interface WorkloadKey {
  readonly key: KeyObject;
  /** The end of its certificate, in milliseconds since the epoch. */
  readonly validTo: number;
}

/** Changes of permissions. They are stored where writers of the shared cache cannot modify them. */
export interface PermissionChanges {
  /** Returns changes read at most a few seconds ago. Undefined if the read failed, or if an event announced a later change. */
  recent(): RecentPermissionChanges | undefined;
}

/** Finds service accounts by their tokens. */
export interface MachineTokens {
  /**
   * Returns the caller whose token has this key (`domain/machine-token.ts`), from memory if possible. Throws or rejects with
   * AUTHENTICATION_FAILED, or with SERVICE_UNAVAILABLE if the token has to be read and cannot be.
   */
  identify(tokenKey: string): MaybePromise<MachineCaller>;
}

/** An account for programs. Its subject is `machine:<id>`. */
export interface ServiceAccount {
  readonly id: string;
  readonly name: string;
  /** Actor. */
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Those that were made by hand, the newest first. */
  readonly tokens: readonly ServiceAccountToken[];
}

export interface ServiceAccountToken {
  readonly id: string;
  /** What it allows of what its account holds (`contracts/authorization/machines.ts`). Null: all of it. */
  readonly scopes: readonly string[] | null;
  /** Actor. */
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Exact to a minute. Null: never. */
  readonly usedAt: Date | null;
}

/** A token with what a check of it needs. */
export interface StoredMachineToken extends Pick<ServiceAccountToken, "id" | "scopes" | "expiresAt" | "usedAt"> {
  readonly accountId: string;
  readonly accountName: string;
  /** Null unless a trusted pipeline has got it. */
  readonly trustId: string | null;
  /** The apps of the trust. */
  readonly apps: readonly string[] | null;
  readonly run: PipelineRun | null;
}

/** Stores service accounts and their tokens. The end of a token notifies every process. */
export interface ServiceAccounts {
  /** Throws CONFLICT if the name is taken, and INVALID_STATE if there are `max` accounts. */
  add(tx: Transaction, account: Pick<ServiceAccount, "id" | "name" | "createdBy">, max: number): Promise<void>;
  /** Keeps the account as it is until the transaction ends, and returns it. */
  hold(tx: Transaction, id: string): Promise<ServiceAccount | undefined>;
  /** Throws INVALID_STATE if the account has `max` tokens that have not expired. The oldest ones that have make place. */
  addToken(tx: Transaction, token: NewMachineToken, max: number): Promise<void>;
  /** Returns whether the account had the token. */
  endToken(tx: Transaction, accountId: string, tokenId: string): Promise<boolean>;
  /** Deletes the account with its tokens. */
  delete(tx: Transaction, id: string): Promise<void>;
  /** Returns the account, or all by name. */
  list(executor: SqlExecutor, id?: string): Promise<readonly ServiceAccount[]>;
  /** Returns names by id. */
  names(executor: SqlExecutor, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Reads tokens by their key. */
export interface MachineTokenTable {
  find(executor: SqlExecutor, tokenKey: string): Promise<StoredMachineToken | undefined>;
  /** Stores when tokens were used, by id in milliseconds since the epoch, unless that was stored less than a minute ago. */
  noteUse(executor: SqlExecutor, uses: ReadonlyMap<string, number>): Promise<void>;
}

export interface NewMachineToken extends Pick<ServiceAccountToken, "id" | "scopes" | "createdBy" | "expiresAt"> {
  readonly accountId: string;
  readonly tokenKey: string;
}

/** A pipeline whose OpenID token is exchanged for a token of a service account. */
export interface TrustedPipeline extends TokenConditions {
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  /** Names of the only apps on which its tokens act. */
  readonly apps: readonly string[];
  /** Actor. */
  readonly createdBy: string;
  readonly createdAt: Date;
  /** Null: it has never got a token. */
  readonly usedAt: Date | null;
}

/** A token of a service account that a trusted pipeline gets. */
export interface ExchangedToken extends Pick<NewMachineToken, "id" | "accountId" | "tokenKey" | "createdBy" | "expiresAt"> {
  readonly trustId: string;
  readonly run: PipelineRun;
}

/** Stores trusted pipelines, and which of their tokens were exchanged. */
export interface TrustedPipelines {
  /** Throws CONFLICT if there is one with the same `conditionKey`, and INVALID_STATE if there are `max`. */
  add(
    tx: Transaction,
    pipeline: Omit<TrustedPipeline, "accountName" | "createdAt" | "usedAt"> & { readonly conditionKey: string },
    max: number,
  ): Promise<void>;
  /** Returns all, the oldest first, or those of an issuer. */
  list(executor: SqlExecutor, issuer?: string): Promise<readonly TrustedPipeline[]>;
  /** Returns the pipeline that was removed, with all of its tokens. */
  remove(tx: Transaction, id: string): Promise<TrustedPipeline | undefined>;
  /** Keeps it as it is until the transaction ends. Returns whether it is still there. */
  hold(tx: Transaction, id: string): Promise<boolean>;
  /** Returns whether no server has noted the key of a token before. It is kept until then. Removes some that are over. */
  noteExchange(tx: Transaction, tokenKey: string, until: Date): Promise<boolean>;
  /** Removes some expired tokens. Returns whether the trust had fewer than `max` valid ones, and if so, adds the token. */
  addToken(tx: Transaction, token: ExchangedToken, max: number): Promise<boolean>;
}

/** Verifies the tokens of OpenID issuers. */
export interface TokenIssuers {
  /**
   * Returns the claims of a token that this issuer has signed and that is valid now. Sends requests to the issuer. Throws
   * AUTHENTICATION_FAILED, and SERVICE_UNAVAILABLE if the keys of the issuer cannot be read.
   */
  verify(token: string, issuer: string): Promise<TokenClaims>;
}

/** What one source last reported of the groups of a person. */
export interface GroupReading {
  readonly userId: string;
  /** `oidc:<provider>` or `scim` */
  readonly source: string;
  readonly groups: readonly string[];
  readonly readAt: Date;
}

/** Stores what sources report of the groups of people. */
export interface GroupReadings {
  /** Lets one transaction at a time change what is reported of a person. */
  lock(tx: SqlExecutor, userId: string): Promise<void>;
  replace(tx: SqlExecutor, reading: Omit<GroupReading, "readAt">): Promise<void>;
  of(executor: SqlExecutor, userIds: readonly string[]): Promise<readonly GroupReading[]>;
  delete(tx: SqlExecutor, userId: string): Promise<void>;
  /** Returns whether the source has told in the last `maxAgeMs`. */
  isFresh(tx: SqlExecutor, told: Pick<GroupReading, "userId" | "source">, maxAgeMs: number): Promise<boolean>;
}

/** Stores which tuples the option `identity.groups` wrote. */
export interface MappedGrants {
  /** Lets one transaction at a time change them. */
  lock(tx: SqlExecutor): Promise<void>;
  all(executor: SqlExecutor): Promise<readonly Tuple[]>;
  change(tx: SqlExecutor, added: readonly Tuple[], removed: readonly Tuple[]): Promise<void>;
}

/** Makes accounts that the invited people complete. */
export interface Invitations {
  /** Throws AppError: INVALID_REQUEST for a text that is no address, CONFLICT for the address of an account that is complete. */
  invite(invitation: NewInvitation): Promise<InvitedAccount & { readonly path: string }>;
  /** Invites, and sends the link to the address. Throws as {@link invite}. Undefined if the platform sends no letters. */
  inviteByLetter?(invitation: NewInvitation): Promise<InvitedAccount>;
}

export interface NewInvitation {
  readonly email: string;
  readonly name?: string;
  readonly invitedBy: string;
  readonly validMs: number;
}

export interface InvitedAccount {
  readonly userId: string;
  readonly endsAt: Date;
}

/** Accounts of people that the platform makes itself. */
export interface Accounts extends Invitations {
  find(userId: string): Promise<AccountState | undefined>;
  /** Throws AppError: NOT_FOUND; INVALID_STATE for an account that was never completed; what `admit` throws. */
  setActive(change: AccountRemoval & { readonly isActive: boolean }): Promise<void>;
  /** Deletes an account with all that belongs to it. Throws AppError NOT_FOUND, and what `admit` throws. */
  remove(removal: AccountRemoval): Promise<void>;
  /** Returns what is stored of a person, without secrets. Throws AppError NOT_FOUND. */
  export(userId: string): Promise<Readonly<Record<string, readonly object[]>>>;
}

export interface AccountState {
  readonly state: "invited" | "active" | "disabled";
  readonly createdAt: Date;
}

export interface AccountRemoval {
  readonly userId: string;
  /** Called in the transaction of the change, if something changes. If it throws, nothing changes. */
  readonly admit: (tx: Transaction) => Promise<void>;
}

/** What people may ask for, of one app. */
export interface RequestableApp {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  /** The permissions that the app declares. */
  readonly permissions: readonly string[];
}

export interface RequestableApps {
  /** Returns an installed app if the caller may know of it. */
  known(name: string, call: Call): Promise<RequestableApp | undefined>;
  /** Returns an installed app. */
  installed(name: string): Promise<RequestableApp | undefined>;
  /** Returns the name for people of any registered app. */
  displayName(name: string): Promise<string | undefined>;
}

/** What a person asks for. */
export interface AccessRequest {
  /** UUIDv7: the order of requests. */
  readonly id: string;
  readonly userId: string;
  readonly appName: string;
  /** `viewer`, `editor`, `owner`, or a permission of the app. */
  readonly access: string;
  readonly reason: string | undefined;
  readonly requestedAt: Date;
  readonly state: "OPEN" | "GRANTED" | "DECLINED";
  readonly decidedAt: Date | undefined;
}

export type NewAccessRequest = Pick<AccessRequest, "id" | "userId" | "appName" | "access" | "reason" | "requestedAt">;

/** Stores what people ask for. */
export interface AccessRequests {
  /** Lets one transaction at a time add a request of a person. */
  lock(tx: SqlExecutor, userId: string): Promise<void>;
  find(executor: SqlExecutor, id: string): Promise<AccessRequest | undefined>;
  /** Returns all of a person, the newest first. */
  ofPerson(executor: SqlExecutor, userId: string): Promise<readonly AccessRequest[]>;
  /** Stores a request in place of an earlier one for the same access. */
  replace(tx: SqlExecutor, request: NewAccessRequest): Promise<void>;
  /** Returns a request that no other transaction can change until the end of this one. */
  hold(tx: SqlExecutor, id: string): Promise<AccessRequest | undefined>;
  decide(tx: SqlExecutor, decided: Pick<AccessRequest, "id" | "state"> & { readonly at: Date }): Promise<void>;
  /** Returns the newest that are open, below an id. */
  open(
    executor: SqlExecutor,
    page: { readonly limit: number; readonly below: string | undefined },
  ): Promise<OpenAccessRequests>;
  forgetPerson(tx: SqlExecutor, userId: string): Promise<void>;
  forgetApp(executor: SqlExecutor, appName: string): Promise<void>;
}

export interface OpenAccessRequests {
  readonly requests: readonly AccessRequest[];
  readonly totalCount: number;
}

/** What an app tells a person. */
export interface AppMessage {
  /** UUIDv7: the order of messages. */
  readonly id: string;
  readonly userId: string;
  readonly appName: string;
  /** One line. */
  readonly title: string;
  readonly text: string | undefined;
  /** The route base of the app's page or a path below it, with query and fragment. */
  readonly path: string;
  readonly sentAt: Date;
  readonly isRead: boolean;
}

export interface UnreadMessages {
  readonly appName: string;
  readonly count: number;
}

/** Stores what apps tell people. */
export interface AppMessages {
  /** Stores a message, and deletes the oldest ones of the person beyond `kept`. */
  add(
    tx: Transaction,
    message: Omit<AppMessage, "isRead">,
    kept: { readonly all: number; readonly unread: number },
  ): Promise<void>;
  /** Returns those of a person, newest first: by default all, or some below an id. */
  ofPerson(
    executor: SqlExecutor,
    userId: string,
    page?: { readonly limit?: number; readonly below?: string | undefined },
  ): Promise<readonly AppMessage[]>;
  /** Returns the numbers of unread ones, by the names of the apps. */
  unread(executor: SqlExecutor, userId: string): Promise<readonly UnreadMessages[]>;
  /** Marks those with these ids as read, or all. Returns how many were unread. */
  read(
    executor: SqlExecutor,
    userId: string,
    read: { readonly ids: readonly string[] | undefined; readonly at: Date },
  ): Promise<number>;
  forgetPerson(tx: SqlExecutor, userId: string): Promise<void>;
  forgetApp(executor: SqlExecutor, appName: string): Promise<void>;
}

/** The pages of apps. */
export interface AppPages {
  /** Returns the route base of an installed and enabled app if the caller may open one of its pages. */
  openTo(appName: string, call: Call): Promise<string | undefined>;
}

/** What people have given to programs that run language models. */
export interface AgentConsents {
  /** Lets no other transaction give something of this person until the end of this one. */
  lock(tx: Transaction, userId: string): Promise<void>;
  /** Stores a consent, and keeps its client as long. */
  add(tx: Transaction, consent: AgentConsent): Promise<void>;
  /** Returns those of a person that have not ended, newest first. */
  ofPerson(executor: SqlExecutor, userId: string): Promise<readonly AgentConsent[]>;
  /** Returns the consent of an access token for this resource. Undefined if one of them has ended. */
  ofToken(executor: SqlExecutor, token: { readonly key: string; readonly resource: string }): Promise<AgentConsent | undefined>;
  hasClient(executor: SqlExecutor, clientId: string): Promise<boolean>;
  used(executor: SqlExecutor, id: string, at: Date): Promise<void>;
  /** Stores the name and the address that a person has now in what the person has given. */
  rename(executor: SqlExecutor, person: Pick<AgentConsent, "userId" | "displayName" | "email">): Promise<void>;
  /** Ends a consent with all its tokens. */
  remove(tx: Transaction, id: string): Promise<AgentConsent | undefined>;
  forgetPerson(tx: SqlExecutor, userId: string): Promise<void>;
}

export interface OAuthRecords {
  /** Stores a record. Of clients without a consent and of the access tokens of a consent, only the newest ones stay. */
  put(record: OAuthRecord): Promise<void>;
  find(model: string, key: string): Promise<OAuthRecord | undefined>;
  findByUid(model: string, uid: string): Promise<OAuthRecord | undefined>;
  /** Marks a record as used. Returns false if it was used before. */
  consume(model: string, key: string): Promise<boolean>;
  /** Returns how many refresh tokens of the consent were used since then. */
  usedSince(grantId: string, since: Date): Promise<number>;
  /** Returns the record if this call has removed it. */
  remove(model: string, key: string): Promise<OAuthRecord | undefined>;
  removeOfGrant(grantId: string): Promise<void>;
}
