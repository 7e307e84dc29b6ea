import type { NamedKey, OptionIssue, SectionValues } from "@appserver/options";
import type { settingsEncryptionSection } from "@appserver/options/sections";

/** Id of a key that is given without one. */
export const defaultKeyId = "default";

type KeyValues = SectionValues<typeof settingsEncryptionSection>;

/** Returns the configured keys, newest first. */
export function encryptionKeysOf({ encryptionKey, encryptionKeys = [] }: KeyValues): readonly NamedKey[] {
  return Object.freeze([...encryptionKeys, ...(encryptionKey ? [{ id: defaultKeyId, key: encryptionKey }] : [])]);
}

/** Returns the issue of two keys with one id. */
export function keyIdIssues({ encryptionKey, encryptionKeys = [] }: Partial<KeyValues>): readonly OptionIssue[] {
  if (encryptionKey === undefined || !encryptionKeys.some(({ id }) => id === defaultKeyId)) return [];
  const message = `APPSERVER_SETTINGS_ENCRYPTION_KEY already has the id ${defaultKeyId}: expected another id, or only one of the two options`;
  return [{ at: ["settingsEncryption", "encryptionKeys"], message }];
}
