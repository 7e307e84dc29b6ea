import type { Clock, Component, Logger } from "@appserver/kernel";
import type {
  Authorization,
  Broker,
  Cache,
  ContainerRuntime,
  Database,
  DevLogin,
  GroupMemberships,
  IdentityProvider,
  Mail,
  Provisioning,
  SecretSeal,
  SelfService,
  SignIn,
  Transaction,
  UnreadableSecret,
} from "@appserver/kernel/ports";

/** The version of the interface of each family. A driver names the one that it is written for. */
export const familyVersions = { authorization: 1, broker: 1, cache: 1, containers: 1, identity: 1 } as const;

/** A port of the platform with more than one driver: `<family>.driver` chooses one. */
export type Family = keyof typeof familyVersions;

/** What the drivers of each family get when they are opened, and what they return. */
export interface Families {
  readonly authorization: { readonly context: AuthorizationContext; readonly opened: AuthorizationService };
  readonly broker: { readonly context: BrokerContext; readonly opened: Broker & Component };
  readonly cache: { readonly context: CacheContext; readonly opened: Cache & Component };
  readonly containers: { readonly context: ContainersContext; readonly opened: ContainerRuntime };
  readonly identity: { readonly context: IdentityContext; readonly opened: Identity };
}

export interface DriverContext {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface AuthorizationContext extends DriverContext {
  /** The platform's database. Its tables may not exist before `start` and `bootstrap`. */
  readonly database: Database;
  /** What a server has to express. Its `start` rejects with NOT_FOUND while the stored model cannot. Commands have none. */
  readonly model?: ModelDefinition;
}

/** The authorization service of the platform. `start` rejects with NOT_FOUND until the service was bootstrapped. */
export interface AuthorizationService extends Authorization, Component {
  /** Creates or updates the store and its model. A second run changes nothing. The caller holds a lock. */
  bootstrap(options: { readonly model: ModelDefinition; readonly createStore?: boolean }): Promise<BootstrapResult>;
  /** Called when another process changed permissions, before they are checked again. */
  noteChange(): void;
}

/** A model in the JSON form of OpenFGA's API. */
export interface ModelDefinition {
  readonly schema_version: string;
  readonly type_definitions: readonly object[];
  readonly conditions?: object;
}

export interface BootstrapResult {
  /** Absent if the service has one store only. */
  readonly storeId?: string;
  readonly modelId: string;
  readonly storeCreated: boolean;
  /** False if the store's latest model was already equal. */
  readonly modelWritten: boolean;
}

export interface BrokerContext extends DriverContext {
  /** The platform's database. It is started. */
  readonly database: Database;
  /** Maximum number of events that a consumer handles concurrently. */
  readonly prefetch: number;
  /** Number of retries before an event becomes a dead letter. */
  readonly maxRetries: number;
}

export interface CacheContext extends DriverContext {
  /** The platform's database. It is started. */
  readonly database: Database;
  /** Names the installation: its processes share their data, other installations on the same server do not. */
  readonly namespace: string;
  /** Maximum memory of the cache in this process, in bytes. */
  readonly maxBytes: number;
  /** Maximum age of a copy in this process. */
  readonly maxLocalTtlMs: number;
  /** Returns a new cache in the memory of this process, for times when the server does not respond. */
  readonly createLocal: () => Cache;
}

export interface ContainersContext {
  /** For what a driver notices by itself. Commands have none. */
  readonly logger?: Logger;
  /** Whether an image that the engine has may be newer in its registry. */
  readonly pullPolicy: "always" | "if-not-present";
  /** For a driver without an engine. */
  readonly processes?: AppProcesses;
}

/** Apps that run as processes of this machine. */
export interface AppProcesses {
  /** Records, logs and storage. Undefined: the folder of the driver's own option. */
  readonly stateFolder?: string;
  /** Where commands without a folder are found, as in `PATH`. */
  readonly path: string;
  /** Returns what runs for an image reference. Undefined if there is no such image on this machine. */
  readonly images: (image: string) => ProcessImage | undefined;
  /**
   * Returns how a folder runs that was pulled from a registry. Throws an error with a sentence for operators if it cannot run. Undefined:
   * no registry is asked.
   */
  readonly pulled?: (folder: string) => Pick<ProcessImage, "command" | "environment">;
  /** Whether the apps end with the platform. Otherwise its next start finds them. */
  readonly stopOnClose: boolean;
}

/** How an app runs without an engine. */
export interface ProcessImage {
  readonly command: readonly string[];
  /** The app's folder, in which the command runs. */
  readonly cwd: string;
  /**
   * Whether `pull` copies the folder, and containers run in the copy: then a digest stands for the folder's contents, and earlier
   * contents stay runnable. Otherwise containers run in the folder itself, and the digest stands for the command and the path.
   * The app must not write to its folder. Default false.
   */
  readonly snapshot?: boolean;
  /** The folders, relative to `cwd`, that a snapshot does not have: the app does not read them. Default: none. */
  readonly leftOut?: readonly string[];
  /** Variables of each container, unless it has others of these names. The digest does not cover them. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The image of an app that `appserver dev` builds on the engine. */
export interface AppImageSource {
  readonly appFolder: string;
  /** The main file of a backend on Node, relative to the app's folder: `src/main.ts`. Or what runs a backend in Python. */
  readonly entry: string | PythonEntry;
  /** `<registry>/<app>:<stage>` */
  readonly image: string;
  /** Files and folders that the app reads at run time, relative to its folder: `web/dist`, `app.yaml`. `key.pem` is left out. */
  readonly extraFolders?: readonly string[];
}

/** A backend that `python3 -m` runs. */
export interface PythonEntry {
  /** A package with a `__main__.py` in the app's folder: `board`. */
  readonly module: string;
  /** Path of the interpreter of this machine that the image gets. */
  readonly python: string;
  /** Folders outside of the app's own one with the packages that the backend imports. The image gets them whole. */
  readonly packages: readonly string[];
}

export interface IdentityContext extends DriverContext {
  /** The platform's URL for browsers. Undefined: that of each request. */
  readonly ownUrl?: string | undefined;
  /** What programs of a user call the platform, such as authenticator apps. */
  readonly platformName: string;
  /** `auth.session_cookie_name`, if it is set. */
  readonly sessionCookieName?: string | undefined;
  /** Resolves when the platform's database has started and its tables exist. A driver waits for it in `start`, never in `open`. */
  readonly database: () => Promise<Database>;
  /** Resolves when the server can take the groups of people. Only servers of the platform have it, commands do not. */
  readonly groups?: () => Promise<GroupMemberships>;
  /** Encrypts what the driver stores and has to read again. */
  readonly seal: SecretSeal;
  /** Undefined: the platform sends no mail. */
  readonly mail?: Mail | undefined;
  /** At least 16 bytes, for sessions of users without passwords. Only `appserver dev` has it. */
  readonly developmentSecret?: Uint8Array;
}

/** An identity provider, with what browsers and operators need of it. */
export interface Identity {
  readonly provider: IdentityProvider & Component;
  readonly signIn: SignIn;
  /** Set if the pages of the sign-in are those of the console: their requests are passed on to it. */
  readonly selfService?: SelfService & Component;
  /** Set if the accounts of the provider are also made, disabled and removed by SCIM, and its token is configured. */
  readonly provisioning?: Provisioning;
  /** Set if a page of the platform signs users in without a password. */
  readonly devLogin?: DevLogin;
  /** Set if the provider has accounts that the platform makes. */
  readonly accounts?: Accounts;
  /** Users that exist from the start. */
  readonly users: readonly DevUser[];
  /**
   * Encrypts what the driver stores with the newest key, while servers run. Returns what no configured key opens. Set if the driver
   * stores such secrets.
   */
  resealSecrets?(): Promise<readonly UnreadableSecret[]>;
  /** Returns the id of the only user who signs in with this address. Throws AppError: NOT_FOUND, or why it cannot be found out. */
  idOf(address: string): Promise<string>;
}

/** Accounts of the platform's own. */
export interface Accounts extends AccountInvitations {
  find(userId: string): Promise<AccountState | undefined>;
  /** Throws AppError: NOT_FOUND; INVALID_STATE for an account that was never completed; what `admit` throws. */
  setActive(change: AccountChange): Promise<void>;
  /** Deletes an account with all that belongs to it. Throws AppError NOT_FOUND, and what `admit` throws. */
  remove(removal: AccountRemoval): Promise<void>;
  /** Returns what is stored of a person, without secrets. Throws AppError NOT_FOUND. */
  export(userId: string): Promise<AccountRecords>;
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

export interface AccountChange extends AccountRemoval {
  readonly isActive: boolean;
}

/** Records by what they are about: `account`, `sessions`. */
export type AccountRecords = Readonly<Record<string, readonly object[]>>;

/** Makes accounts, which the invited people complete. */
export interface AccountInvitations {
  /** Throws AppError: INVALID_REQUEST for a text that is no address, CONFLICT for the address of an account. */
  invite(invitation: AccountInvitation): Promise<InvitationLink>;
  /** Invites, and sends the link to the address. Throws as {@link invite}. Set if the platform sends letters. */
  inviteByLetter?(invitation: AccountInvitation & { readonly email: string }): Promise<Omit<InvitationLink, "path">>;
  /** Makes the account of the first administrator. Returns undefined if any account was completed, or an earlier link is valid. */
  inviteFirst(invitation: FirstInvitation): Promise<InvitationLink | undefined>;
}

export interface AccountInvitation {
  /** Undefined: the person chooses it. */
  readonly email?: string | undefined;
  readonly name?: string;
  /** A user's id, or `operator`. */
  readonly invitedBy: string;
  readonly validMs: number;
}

export interface FirstInvitation {
  readonly validMs: number;
  /** Whether an earlier link that is valid is replaced. */
  readonly renews: boolean;
  /** Gets the account's id before there is a link. */
  readonly prepare: (userId: string) => Promise<void>;
}

export interface InvitationLink {
  /** The account's id, which can get permissions before the account is complete. */
  readonly userId: string;
  /** Path of this platform, with a secret in its fragment. It works once. */
  readonly path: string;
  readonly endsAt: Date;
}

/** A user who exists from the start. */
export interface DevUser {
  readonly id: string;
  readonly displayName: string;
  readonly email?: string | undefined;
  /** What the user may do, as the end of a sentence that begins with the name. */
  readonly about: string;
}
