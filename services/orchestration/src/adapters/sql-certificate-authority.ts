import type { Clock } from "@appserver/kernel";
import type { Database, SecretSeal } from "@appserver/kernel/ports";
import { type Authority, makeAuthority } from "./x509-certificates.ts";

interface AuthorityRow {
  readonly certificate: string;
  readonly sealed_key: string;
}

export interface CertificateAuthorityDeps {
  readonly database: Database;
  readonly seal: SecretSeal;
  readonly clock: Clock;
  /** Id of the installation, for the name of the authority. */
  readonly instance: string;
}

/** Which sealed text is the authority's key. */
export const authorityPlace = { owner: "platform", name: "certificate-authority" } as const;

/** The platform's certificate authority. All orchestrators of a database share it. */
export class SqlCertificateAuthority {
  readonly #deps: CertificateAuthorityDeps;
  #authority: Promise<Authority> | undefined;

  constructor(deps: CertificateAuthorityDeps) {
    this.#deps = deps;
  }

  /** Reads the authority, and makes it at the first call in the life of a database. Rejects if its key cannot be opened. */
  load(): Promise<Authority> {
    this.#authority ??= this.#read();
    this.#authority.catch(() => {
      this.#authority = undefined;
    });
    return this.#authority;
  }

  async #read(): Promise<Authority> {
    const row = (await this.#stored()) ?? (await this.#make());
    const { owner, name } = authorityPlace;
    return { certificate: row.certificate, privateKey: await this.#deps.seal.open(owner, name, row.sealed_key) };
  }

  async #stored(): Promise<AuthorityRow | undefined> {
    const { rows } = await this.#deps.database.query<AuthorityRow>(
      "select certificate, sealed_key from orchestration.certificate_authority",
    );
    return rows[0];
  }

  async #make(): Promise<AuthorityRow> {
    const { database, seal, clock, instance } = this.#deps;
    const { certificate, privateKey } = await makeAuthority(`appserver ${instance}`, clock.now());
    const sealed = await seal.seal(authorityPlace.owner, authorityPlace.name, privateKey);
    // Of several orchestrators, the first one stores its authority, and all use that one.
    await database.query(
      `insert into orchestration.certificate_authority (certificate, sealed_key, created_at) values ($1, $2, $3)
       on conflict do nothing`,
      [certificate, sealed, new Date(clock.now())],
    );
    const stored = await this.#stored();
    if (!stored) throw new Error("the platform's certificate authority was deleted");
    return stored;
  }
}
