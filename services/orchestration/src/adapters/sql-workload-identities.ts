import { createPublicKey, type KeyObject, randomBytes } from "node:crypto";
import type { Clock } from "@appserver/kernel";
import type { Database, SecretSeal, Transaction } from "@appserver/kernel/ports";
import { certificateLifeMs, type IdentityOwner, identityFiles } from "../domain/workload-identity.ts";
import type { CertificateRenewal, ContainerFile, WorkloadIdentities, Writer } from "../ports.ts";
import { checkFence } from "./check-fence.ts";
import { announceIdentities } from "./end-identities.ts";
import { KeyPool } from "./key-pool.ts";
import { SqlCertificateAuthority } from "./sql-certificate-authority.ts";
import { makeCertificate } from "./x509-certificates.ts";

export interface WorkloadIdentitiesDeps {
  readonly database: Database;
  readonly seal: SecretSeal;
  readonly clock: Clock;
  /** Id of the installation, for the name of the authority. */
  readonly instance: string;
}

/** Which sealed text is the forward secret of a generation. */
export function forwardSecretPlace({ appId, generation }: Omit<IdentityOwner, "appName">) {
  return { owner: appId, name: `forward-secret:${generation}` };
}

const forwardSecretBytes = 32;

/** Makes identities of deployments and stores their public parts in schema `orchestration`. */
export class SqlWorkloadIdentities implements WorkloadIdentities {
  readonly #deps: WorkloadIdentitiesDeps;
  readonly #authority: SqlCertificateAuthority;
  readonly #keys = new KeyPool();

  constructor(deps: WorkloadIdentitiesDeps) {
    this.#deps = deps;
    this.#authority = new SqlCertificateAuthority(deps);
  }

  /** Makes the authority if the platform has none, and begins to make keys. Rejects if the authority's key cannot be opened. */
  async prepare(): Promise<void> {
    this.#keys.fill();
    await this.#authority.load();
  }

  async issue(writer: Writer, owner: IdentityOwner): Promise<readonly ContainerFile[]> {
    const { database, seal } = this.#deps;
    const { privateKey, publicKey } = await this.#keys.take();
    const { files, endsAt } = await this.#certify(owner, publicKey);
    const secret = randomBytes(forwardSecretBytes).toString("base64");
    const place = forwardSecretPlace(owner);
    const sealed = await seal.seal(place.owner, place.name, secret);
    const spki = publicKey.export({ type: "spki", format: "der" });
    const values = [owner.appId, owner.generation, owner.appName, spki, sealed, endsAt];
    await database.transaction(async (tx) => {
      await checkFence(tx, writer);
      await tx.query(
        `insert into orchestration.workload_identities
           (app_id, generation, app_name, public_key, sealed_forward_secret, certificate_ends_at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (app_id, generation) do update set app_name = excluded.app_name, public_key = excluded.public_key,
           sealed_forward_secret = excluded.sealed_forward_secret, certificate_ends_at = excluded.certificate_ends_at,
           version = excluded.version`,
        values,
      );
      await announceIdentities(tx, owner.appId);
    });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    return [...files, { name: identityFiles.key, text: key }, { name: identityFiles.forwardSecret, text: secret }];
  }

  async certificateEnd(owner: IdentityOwner): Promise<Date | undefined> {
    return (await this.#stored(owner))?.certificate_ends_at;
  }

  async renewal(owner: IdentityOwner): Promise<CertificateRenewal | undefined> {
    const stored = await this.#stored(owner);
    if (!stored) return undefined;
    return await this.#certify(owner, createPublicKey({ key: stored.public_key, type: "spki", format: "der" }));
  }

  async renewed(writer: Writer, { appId, generation }: IdentityOwner, endsAt: Date): Promise<void> {
    await this.#deps.database.transaction(async (tx: Transaction) => {
      await checkFence(tx, writer);
      await tx.query(
        `update orchestration.workload_identities
         set certificate_ends_at = $3, version = nextval('orchestration.workload_identity_versions')
         where app_id = $1 and generation = $2`,
        [appId, generation, endsAt],
      );
      await announceIdentities(tx, appId);
    });
  }

  async #certify({ appId, appName }: IdentityOwner, publicKey: KeyObject): Promise<CertificateRenewal> {
    const now = this.#deps.clock.now();
    // Certificates have whole seconds.
    const endsAt = new Date(Math.floor((now + certificateLifeMs) / 1_000) * 1_000);
    const authority = await this.#authority.load();
    const subject = { commonName: appName, uri: `urn:uuid:${appId}` };
    const certificate = await makeCertificate(authority, publicKey, subject, { now, endsAt });
    const files = [
      { name: identityFiles.certificate, text: certificate },
      { name: identityFiles.authority, text: authority.certificate },
    ];
    return { files, endsAt };
  }

  async #stored({ appId, generation }: IdentityOwner) {
    const { rows } = await this.#deps.database.query<{ readonly public_key: Buffer; readonly certificate_ends_at: Date }>(
      "select public_key, certificate_ends_at from orchestration.workload_identities where app_id = $1 and generation = $2",
      [appId, generation],
    );
    return rows[0];
  }
}
