import { createPublicKey, createSecretKey } from "node:crypto";
import { column, columns } from "@appserver/kernel";
import type { Database, SecretSeal, Subscription } from "@appserver/kernel/ports";
import type { IdentityOwner, IssuedIdentity } from "../domain/workload-identity.ts";
import type { IdentityRecord, IdentityRecords } from "../ports.ts";
import { identityChannel } from "./end-identities.ts";
import { forwardSecretPlace } from "./sql-workload-identities.ts";

interface StoredIdentity extends IdentityOwner {
  readonly publicKey: Buffer;
  readonly sealedForwardSecret: string;
  readonly certificateEndsAt: Date;
  readonly version: number;
}

const identities = columns<StoredIdentity>({
  appId: column,
  appName: column,
  generation: column,
  publicKey: column,
  sealedForwardSecret: column,
  certificateEndsAt: column,
  version: column,
});

/** The stored identities, for servers. */
export class SqlIdentityRecords implements IdentityRecords {
  readonly #database: Database;
  readonly #seal: SecretSeal;

  constructor(database: Database, seal: SecretSeal) {
    this.#database = database;
    this.#seal = seal;
  }

  async read(appIds: readonly string[] | undefined): Promise<readonly IdentityRecord[]> {
    const condition = appIds ? "where app_id = any($1::uuid[])" : "";
    const { rows } = await this.#database.query<object>(
      `select ${identities.selected} from orchestration.workload_identities ${condition}`,
      appIds ? [appIds] : [],
    );
    return rows.map((row) => this.#record(identities.record(row)));
  }

  async summary(): Promise<string> {
    const { rows } = await this.#database.query<{ readonly count: number; readonly newest: number | null }>(
      "select count(*) as count, max(version) as newest from orchestration.workload_identities",
    );
    return `${rows[0]?.count} ${rows[0]?.newest}`;
  }

  async listen(onChange: (appId?: string) => void): Promise<Subscription> {
    return await this.#database.listen(identityChannel, onChange, () => onChange());
  }

  #record({ publicKey, sealedForwardSecret, version, ...stored }: StoredIdentity): IdentityRecord {
    const open = async (): Promise<IssuedIdentity> => {
      const place = forwardSecretPlace(stored);
      const secret = await this.#seal.open(place.owner, place.name, sealedForwardSecret);
      return {
        ...stored,
        publicKey: createPublicKey({ key: publicKey, type: "spki", format: "der" }),
        forwardKey: createSecretKey(Buffer.from(secret, "base64")),
      };
    };
    return { version, owner: stored, open };
  }
}
