import { createHash } from "node:crypto";
import type { Clock } from "@appserver/kernel";
import type { OAuthRecord } from "../../domain/agent-consent.ts";
import type { OAuthRecords } from "../../ports.ts";

type Payload = Readonly<Record<string, unknown>>;

export interface FoundRecord {
  readonly payload: Payload;
  /** Whether it was used, and may not be used again. */
  readonly isConsumed: boolean;
}

/**
 * - `first`: it was not used before.
 * - `again`: a refresh token was used a moment ago: programs send requests at the same time, and each gets tokens.
 * - `reused`: it was used before.
 * - `too many`: the program renews its tokens too often. It was not used.
 */
export type Consumption = "first" | "again" | "reused" | "too many";

/** How long a refresh token may be used again. */
const againMs = 10_000;
/** Used refresh tokens of one consent, which are kept until the consent ends. */
const refreshes = { limit: 30, windowMs: 3_600_000 };

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
    // PostgreSQL has no such text.
    if (id.includes("\0")) return undefined;
    return this.#found(await this.#records.find(model, keyOf(model, id)), id);
  }

  /** Only models whose ids are no secrets are found so. */
  async findByUid(model: string, uid: string): Promise<FoundRecord | undefined> {
    const record = await this.#records.findByUid(model, uid);
    return this.#found(record, record?.key);
  }

  /** Uses a code or a refresh token. */
  async consume(model: string, id: string): Promise<Consumption> {
    const key = keyOf(model, id);
    const { grantId, consumedAt } = (await this.#records.find(model, key)) ?? {};
    if (model === "RefreshToken" && consumedAt === undefined && grantId !== undefined) {
      const since = new Date(this.#clock.now() - refreshes.windowMs);
      if ((await this.#records.usedSince(grantId, since)) >= refreshes.limit) return "too many";
    }
    if (await this.#records.consume(model, key)) return "first";
    const now = await this.#records.find(model, key);
    return now && !this.#isSpent(now) ? "again" : "reused";
  }

  /** Returns the record if this call has removed it: what is used once is removed to be used. */
  async take(model: string, id: string): Promise<FoundRecord | undefined> {
    return this.#found(await this.#records.remove(model, keyOf(model, id)), id);
  }

  removeOfGrant(grantId: string): Promise<void> {
    return this.#records.removeOfGrant(grantId);
  }

  #found(record: OAuthRecord | undefined, jti: string | undefined): FoundRecord | undefined {
    return record && { payload: { ...record.payload, jti }, isConsumed: this.#isSpent(record) };
  }

  #isSpent({ model, consumedAt }: OAuthRecord): boolean {
    if (consumedAt === undefined) return false;
    return model !== "RefreshToken" || this.#clock.now() - consumedAt.getTime() > againMs;
  }
}

function keyOf(model: string, id: string): string {
  return secretModels.has(model) ? tokenKey(id) : id;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
