import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { isSettingsKeyId } from "@appserver/contracts/names";
import type { EncryptionKey, EncryptionKeys } from "../ports.ts";

/**
 * Digests of texts that contain secrets, as `v1:<key id>:<HMAC-SHA256>`. Without the key, a secret cannot be guessed from them. The
 * key is derived from a settings key for this purpose alone.
 */
export class KeyedDigests {
  readonly #source: EncryptionKeys;
  /** Separates these digests from others with the same key. */
  readonly #purpose: string;

  constructor(source: EncryptionKeys, purpose: string) {
    this.#source = source;
    this.#purpose = purpose;
  }

  /** Returns the digest with the newest key. Rejects if there is no key. */
  async of(text: string): Promise<string> {
    const [newest] = await this.#source.load();
    if (!newest) throw new RangeError("there is no settings encryption key");
    return this.#digest(newest, text);
  }

  /** Returns whether the digest is of this text. False if its key is not configured any more. */
  async matches(digest: string, text: string): Promise<boolean> {
    const [, id = ""] = digest.split(":");
    const key = isSettingsKeyId(id) ? (await this.#source.load()).find((each) => each.id === id) : undefined;
    if (!key) return false;
    const [given, expected] = [Buffer.from(digest), Buffer.from(this.#digest(key, text))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #digest({ id, key }: EncryptionKey, text: string): string {
    const derived = Buffer.from(hkdfSync("sha256", key, "", `appserver ${this.#purpose}`, 32));
    return `v1:${id}:${createHmac("sha256", derived).update(text, "utf8").digest("base64url")}`;
  }
}
