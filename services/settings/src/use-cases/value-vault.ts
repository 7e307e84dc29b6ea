import type { Clock } from "@appserver/kernel";
import { openValue, type SettingsKey, sealedWith, sealValue, settingsKey } from "../domain/sealed-value.ts";
import type { DecodedValue, StoredValue } from "../domain/stored-settings.ts";
import type { EncryptionKeys } from "../ports.ts";

/** How long a missing key is not loaded again. Without this limit, every read would load the keys. */
const missedForMs = 1_000;

/** Seals values with the newest key, and opens values sealed with any of the keys. */
export class ValueVault {
  readonly #source: EncryptionKeys;
  readonly #clock: Clock;
  #keys: Promise<readonly SettingsKey[]> | undefined;
  /** Ids of keys that were not found, with the time of the lookup. */
  readonly #missed = new Map<string, number>();

  constructor(source: EncryptionKeys, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Returns the id of the newest key. Rejects if there is no key, or one that is not 32 bytes long. */
  async newestKeyId(): Promise<string> {
    return (await this.#newest()).id;
  }

  /** Seals a JSON value with the newest key. Rejects like {@link newestKeyId}. */
  async seal(appId: string, key: string, value: unknown): Promise<string> {
    return sealValue(await this.#newest(), { appId, key }, JSON.stringify(value));
  }

  /** Seals the same value with the newest key. Rejects if the value cannot be opened. */
  async reseal(appId: string, key: string, text: string): Promise<string> {
    const opened = await this.#open(appId, key, text);
    if (opened.unreadable !== undefined) throw new Error(opened.unreadable);
    return sealValue(await this.#newest(), { appId, key }, opened.text);
  }

  /** Decodes stored values. A value that cannot be decoded has its reason and does not prevent reading the others. */
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
    // Another value of the same read may have reloaded the keys already.
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
      // After a failure, the next call loads again.
      this.#keys.catch(() => {
        this.#keys = undefined;
      });
    }
    return this.#keys;
  }
}
