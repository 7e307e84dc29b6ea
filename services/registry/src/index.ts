import type { BufferBudget, Clock, Component, Logger, Permissions } from "@appserver/kernel";
import type { AuditLog, Cache, Database } from "@appserver/kernel/ports";
import { AuditedPushes } from "./adapters/audited-pushes.ts";
import { ImageFolder } from "./adapters/image-folder.ts";
import { CachedRefusedAttempts } from "./adapters/refused-attempts.ts";
import { RegistryHttp } from "./api/http.ts";
import { engineUserPrefix, issueTicket, ticketKey } from "./domain/pull-ticket.ts";
import type { Authenticator, EncryptionKeys, ImageLimits } from "./ports.ts";
import { unusedImages } from "./workers/unused-images.ts";

export type { RegistryHttp } from "./api/http.ts";
export type { Authenticator, EncryptionKeys, ImageLimits } from "./ports.ts";

/** What the operator sets (docs/reference/options.md#registry). */
export interface RegistryOptions {
  /** Of the images. Every process of the server must have the same one. */
  readonly folder: string;
  readonly limits: ImageLimits;
  /** How long an image that no release names is kept after its push. At least an hour, so that no push is disturbed. */
  readonly keepUnusedMs: number;
  /** What the platform runs: images of containers, or folders of apps (docs/interface/registry.md#folders). Clients read it. */
  readonly imageKind: "images" | "folders";
}

export interface RegistryDeps extends RegistryOptions {
  readonly authenticator: Authenticator;
  readonly permissions: Permissions;
  readonly cache: Pick<Cache, "slidingWindow">;
  readonly audit: Pick<AuditLog, "record">;
  readonly database: Pick<Database, "transaction">;
  /** Keys of the platform, from which those of container engines' credentials are made. */
  readonly keys: EncryptionKeys;
  /** Returns the digests of the images of all releases that the platform has. */
  readonly retainedImages: () => Promise<ReadonlySet<string>>;
  readonly budget: BufferBudget;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The registry of the platform. It takes images of apps, and the container engine pulls them from it. */
export interface Registry {
  /** `/v2/*` */
  readonly http: RegistryHttp;
  /** Removes images that nothing needs. */
  readonly cleanup: Component;
}

/** Makes the folder of the images. Throws if that is not possible. */
export function createRegistry(deps: RegistryDeps): Registry {
  const { authenticator, permissions, clock, keys, budget } = deps;
  const store = new ImageFolder(deps);
  const context = {
    store,
    authenticator,
    permissions,
    attempts: new CachedRefusedAttempts(deps.cache),
    pushes: new AuditedPushes(deps.audit, deps.database),
    imageKind: deps.imageKind,
    ticketKeys: async () => (await keys.load()).map(({ key }) => ticketKey(key)),
    clock,
  };
  return { http: new RegistryHttp(context, budget), cleanup: unusedImages({ ...deps, store }) };
}

/** A credential for the registry. */
export interface PullCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Returns what makes the credentials with which a container engine pulls the images of one app, for an hour. The processes of a platform
 * need no common state for it but its first encryption key.
 */
export function pullCredentials(encryptionKey: Uint8Array, clock: Clock): (app: string) => PullCredentials {
  const key = ticketKey(encryptionKey);
  return (app) => ({ username: engineUserPrefix + app, password: issueTicket(key, app, clock.now()) });
}
