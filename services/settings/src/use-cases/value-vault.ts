import type { Clock } from "@appserver/kernel";
import { openValue, type SettingsKey, sealedWith, sealValue, settingsKey } from "../domain/sealed-value.ts";
import type { DecodedValue, StoredValue } from "../domain/stored-settings.ts";
import type { EncryptionKeys } from "../ports.ts";

/** A key that is lost must not make every read ask for it. */
const missedForMs = 1_000;

/** Seals values with the newest key, and opens what was sealed with any of them. */
export class ValueVault {
  readonly #source: EncryptionKeys;
  readonly #clock: Clock;
  #keys: Promise<readonly SettingsKey[]> | undefined;
  /** Ids of keys that were asked for in vain, and when. */
  readonly #missed = new Map<string, number>();

  constructor(source: EncryptionKeys, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Id of the newest key. Rejects when there is no key, or one that is not 32 bytes long. */
  async newestKeyId(): Promise<string> {
    return (await this.#newest()).id;
  }

  /** Throws RangeError where the value is no JSON. */
  async seal(appId: string, key: string, value: unknown): Promise<string> {
    return sealValue(await this.#newest(), { appId, key }, JSON.stringify(value));
  }

  /** The same value under the newest key. Rejects as {@link open} tells. */
  async reseal(appId: string, key: string, text: string): Promise<string> {
    const opened = await this.#open(appId, key, text);
    if (opened.unreadable !== undefined) throw new Error(opened.unreadable);
    return sealValue(await this.#newest(), { appId, key }, opened.text);
  }

  /** Makes stored values readable; one that cannot be says why, and keeps no other from being read. */
  decode(appId: string, values: readonly StoredValue[]): Promise<readonly DecodedValue[]> {
    return Promise.all(values.map((value) => this.#decode(appId, value)));
  }

  async #decode(appId: string, { key, text, sealed, updatedAt }: StoredValue): Promise<DecodedValue> {
    const opened = sealed ? await this.#open(appId, key, text) : { text };
    const common = { key, sealed, updatedAt };
    if (opened.unreadable !== undefined) return { ...common, unreadable: opened.unreadable };
    return { ...common, value: JSON.parse(opened.text) as unknown };
  }

  async #open(
    appId: string,
    key: string,
    text: string,
  ): Promise<{ readonly text: string; readonly unreadable?: undefined } | { readonly unreadable: string }> {
    const keyId = sealedWith(text);
    if (keyId === undefined)
      return { unreadable: `the stored value of ${key} is not in the form v1:<key id>:<iv>:<ciphertext>` };
    const found = await this.#find(keyId);
    if (!found)
      return { unreadable: `the value of ${key} was encrypted with the key ${keyId}, which is not configured any more` };
    try {
      return { text: openValue(found, { appId, key }, text) };
    } catch {
      const why = `it was altered or moved here from elsewhere, or the key ${keyId} is not the one of that name any more`;
      return { unreadable: `the stored value of ${key} cannot be decrypted: ${why}` };
    }
  }

  async #find(keyId: string): Promise<SettingsKey | undefined> {
    const before = this.#load();
    const known = (await before).find(({ id }) => id === keyId);
    const now = this.#clock.monotonic();
    if (known || now - (this.#missed.get(keyId) ?? Number.NEGATIVE_INFINITY) < missedForMs) return known;
    // Another value of the same read may have asked again already.
    if (this.#keys === before) this.#keys = undefined;
    const found = (await this.#load()).find(({ id }) => id === keyId);
    if (!found) this.#missed.set(keyId, now);
    return found;
  }

  async #newest(): Promise<SettingsKey> {
    const [newest] = await this.#load();
    if (!newest) throw new RangeError("there is no settings encryption key");
    return newest;
  }

  #load(): Promise<readonly SettingsKey[]> {
    if (!this.#keys) {
      this.#keys = this.#source.load().then((keys) => keys.map(({ id, key }) => settingsKey(id, key)));
      // A source that fails once is asked again.
      this.#keys.catch(() => {
        this.#keys = undefined;
      });
    }
    return this.#keys;
  }
}
