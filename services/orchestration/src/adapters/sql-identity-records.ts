import { createPublicKey, createSecretKey } from "node:crypto";
import type { Database, Subscription } from "@appserver/kernel/ports";
import type { IssuedIdentity } from "../domain/workload-identity.ts";
import type { IdentityRecord, IdentityRecords, SecretSeal } from "../ports.ts";
import { identityChannel } from "./end-identities.ts";
import { forwardSecretPlace } from "./sql-workload-identities.ts";

interface IdentityRow {
  readonly app_id: string;
  readonly generation: number;
  readonly app_name: string;
  readonly public_key: Buffer;
  readonly sealed_forward_secret: string;
  readonly certificate_ends_at: Date;
  readonly version: number;
}

/** The stored identities, for servers. */
export class SqlIdentityRecords implements IdentityRecords {
  readonly #database: Database;
  readonly #seal: SecretSeal;

  constructor(database: Database, seal: SecretSeal) {
    this.#database = database;
    this.#seal = seal;
  }

  async ofApp(appId: string): Promise<readonly IdentityRecord[]> {
    return await this.#select("where app_id = $1", appId);
  }

  async all(): Promise<readonly IdentityRecord[]> {
    return await this.#select("");
  }

  async summary(): Promise<string> {
    const { rows } = await this.#database.query<{ readonly count: number; readonly newest: number | null }>(
      "select count(*) as count, max(version) as newest from orchestration.workload_identities",
    );
    return `${rows[0]?.count} ${rows[0]?.newest}`;
  }

  async listen(onChange: (appId: string) => void, onMissed: () => void): Promise<Subscription> {
    return await this.#database.listen(identityChannel, onChange, onMissed);
  }

  async #select(condition: string, ...parameters: readonly unknown[]): Promise<readonly IdentityRecord[]> {
    const { rows } = await this.#database.query<IdentityRow>(
      `select * from orchestration.workload_identities ${condition}`,
      parameters,
    );
    return rows.map((row) => this.#record(row));
  }

  #record(row: IdentityRow): IdentityRecord {
    const owner = { appId: row.app_id, appName: row.app_name, generation: row.generation };
    const open = async (): Promise<IssuedIdentity> => {
      const place = forwardSecretPlace(owner);
      const secret = await this.#seal.open(place.owner, place.name, row.sealed_forward_secret);
      return {
        ...owner,
        publicKey: createPublicKey({ key: row.public_key, type: "spki", format: "der" }),
        certificateEndsAt: row.certificate_ends_at,
        forwardKey: createSecretKey(Buffer.from(secret, "base64")),
      };
    };
    return { version: row.version, owner, open };
  }
}
