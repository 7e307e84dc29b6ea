import { createHash } from "node:crypto";
import type { Clock } from "@appserver/kernel";
import type { OAuthRecord } from "../../domain/agent-consent.ts";
import type { OAuthRecords } from "../../ports.ts";

type Payload = Readonly<Record<string, unknown>>;

export interface FoundRecord {
  readonly payload: Payload;
  readonly isConsumed: boolean;
}

/** The id of one of these is enough to use it. */
const secretModels: ReadonlySet<string> = new Set(["AccessToken", "AuthorizationCode", "RefreshToken", "Ticket"]);

/** Returns the key under which a code or token is stored. */
export function tokenKey(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/** What the sign-in of programs keeps, by models and ids. Ids that are secrets are stored as their hashes only. */
export class SignInRecords {
  readonly #records: OAuthRecords;
  readonly #clock: Pick<Clock, "now">;

  constructor(records: OAuthRecords, clock: Pick<Clock, "now">) {
    this.#records = records;
    this.#clock = clock;
  }

  async put(model: string, id: string, payload: Payload, ttlSeconds: number): Promise<void> {
    const { jti: _, ...kept } = payload;
    await this.#records.put({
      model,
      key: keyOf(model, id),
      grantId: textOf(payload["grantId"]),
      uid: textOf(payload["uid"]),
      payload: kept,
      expiresAt: new Date(this.#clock.now() + ttlSeconds * 1_000),
    });
  }

  async find(model: string, id: string): Promise<FoundRecord | undefined> {
    return foundRecord(await this.#records.find(model, keyOf(model, id)), id);
  }

  /** Only models whose ids are no secrets are found so. */
  async findByUid(model: string, uid: string): Promise<FoundRecord | undefined> {
    const record = await this.#records.findByUid(model, uid);
    return foundRecord(record, record?.key);
  }

  consume(model: string, id: string): Promise<void> {
    return this.#records.consume(model, keyOf(model, id));
  }

  /** Returns the record if this call has removed it: what is used once is removed to be used. */
  async take(model: string, id: string): Promise<FoundRecord | undefined> {
    return foundRecord(await this.#records.remove(model, keyOf(model, id)), id);
  }

  removeOfGrant(grantId: string): Promise<void> {
    return this.#records.removeOfGrant(grantId);
  }
}

function keyOf(model: string, id: string): string {
  return secretModels.has(model) ? tokenKey(id) : id;
}

function foundRecord(record: OAuthRecord | undefined, jti: string | undefined): FoundRecord | undefined {
  return record && { payload: { ...record.payload, jti }, isConsumed: record.isConsumed === true };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
