import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { isSettingsKeyId, settingsKeyIdGrammar } from "@appserver/contracts/names";
import { decryptAesGcm, encryptAesGcm, ivBytes } from "./aes-gcm.ts";

/** A key for settings at rest, with the id that sealed values contain. */
export interface SettingsKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Creates a key from an id of letters, digits, `_` and `-`, at most 32, and 32 bytes. Throws RangeError for other input. */
export function settingsKey(id: string, bytes: Uint8Array): SettingsKey {
  if (!isSettingsKeyId(id)) throw new RangeError(`the id of a settings encryption key must match ^${settingsKeyIdGrammar}$`);
  if (bytes.length !== 32) throw new RangeError(`a settings encryption key has 32 bytes, got ${bytes.length}`);
  return { id, key: createSecretKey(bytes) };
}

/** The place that a sealed value belongs to. It cannot be opened anywhere else. */
export interface ValuePlace {
  readonly appId: string;
  readonly key: string;
}

const form = new RegExp(`^v1:(?<keyId>${settingsKeyIdGrammar}):(?<iv>[A-Za-z0-9_-]{16}):(?<sealed>[A-Za-z0-9_-]+)$`);

/** Encrypts a value for its place, as `v1:<key id>:<iv>:<ciphertext and tag>` (docs/interface/settings.md#secrets). */
export function sealValue(key: SettingsKey, place: ValuePlace, text: string): string {
  const iv = randomBytes(ivBytes);
  const sealed = encryptAesGcm(key.key, iv, boundTo(place, key.id), Buffer.from(text, "utf8"));
  return `v1:${key.id}:${iv.toString("base64url")}:${sealed.toString("base64url")}`;
}

/** Returns the id of the key that a value was sealed with. Undefined if the text is not a sealed value. */
export function sealedWith(text: string): string | undefined {
  return form.exec(text)?.groups?.["keyId"];
}

/** Returns the sealed text. Throws if it was altered, moved from another app or setting, or sealed with another key. */
export function openValue(key: SettingsKey, place: ValuePlace, text: string): string {
  const { keyId, iv = "", sealed = "" } = form.exec(text)?.groups ?? {};
  if (keyId !== key.id) throw new Error("sealed with another key");
  const [ivRaw, sealedRaw] = [Buffer.from(iv, "base64url"), Buffer.from(sealed, "base64url")];
  return decryptAesGcm(key.key, ivRaw, boundTo(place, keyId), sealedRaw).toString("utf8");
}

/** Returns app id ‖ key ‖ key id. No separator is needed, because the key id selects the key that checks this text. */
function boundTo({ appId, key }: ValuePlace, keyId: string): Buffer {
  return Buffer.from(`${appId.toLowerCase()}${key}${keyId}`, "utf8");
}
