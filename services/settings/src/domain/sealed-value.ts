import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { decryptAesGcm, encryptAesGcm, ivBytes } from "./aes-gcm.ts";

/** A key for settings at rest, with the name that sealed values carry. */
export interface SettingsKey {
  readonly id: string;
  readonly key: KeyObject;
}

const idPattern = /^[A-Za-z0-9_-]{1,32}$/;

/** Takes an id of letters, digits, `_` and `-`, at most 32, and 32 bytes. Throws RangeError for anything else. */
export function settingsKey(id: string, bytes: Uint8Array): SettingsKey {
  if (!idPattern.test(id)) throw new RangeError(`the id of a settings encryption key must match ${idPattern.source}`);
  if (bytes.length !== 32) throw new RangeError(`a settings encryption key has 32 bytes, got ${bytes.length}`);
  return { id, key: createSecretKey(bytes) };
}

/** Where a sealed value belongs; it opens nowhere else. */
export interface ValuePlace {
  readonly appId: string;
  readonly key: string;
}

const form = /^v1:(?<keyId>[A-Za-z0-9_-]{1,32}):(?<iv>[A-Za-z0-9_-]{16}):(?<sealed>[A-Za-z0-9_-]+)$/;

/** Encrypts a value for its place, as `v1:<key id>:<iv>:<ciphertext and tag>` (docs/interface/settings.md#secrets). */
export function sealValue(key: SettingsKey, place: ValuePlace, text: string): string {
  const iv = randomBytes(ivBytes);
  const sealed = encryptAesGcm(key.key, iv, boundTo(place, key.id), Buffer.from(text, "utf8"));
  return `v1:${key.id}:${iv.toString("base64url")}:${sealed.toString("base64url")}`;
}

/** The id of the key that a value was sealed with; undefined for what is no sealed value. */
export function sealedWith(text: string): string | undefined {
  return form.exec(text)?.groups?.["keyId"];
}

/** What was sealed. Throws when it was altered, moved from another app or key, or sealed with another key. */
export function openValue(key: SettingsKey, place: ValuePlace, text: string): string {
  const { keyId, iv = "", sealed = "" } = form.exec(text)?.groups ?? {};
  if (keyId !== key.id) throw new Error("sealed with another key");
  const [ivRaw, sealedRaw] = [Buffer.from(iv, "base64url"), Buffer.from(sealed, "base64url")];
  return decryptAesGcm(key.key, ivRaw, boundTo(place, keyId), sealedRaw).toString("utf8");
}

/** App id ‖ key ‖ key id. Where one ends and the next begins needs no mark: the key id chose the key that this is checked with. */
function boundTo({ appId, key }: ValuePlace, keyId: string): Buffer {
  return Buffer.from(`${appId.toLowerCase()}${key}${keyId}`, "utf8");
}
