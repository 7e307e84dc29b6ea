import type { FoundValues, NamedKey, OptionIssue, SectionValues } from "@appserver/options";
import type { settingsEncryptionSection } from "@appserver/options/sections";

type Section = { readonly settingsEncryption: typeof settingsEncryptionSection };

/** Id of a key that is given without one. */
const defaultKeyId = "default";

/** Returns the keys of the section, newest first. */
export function encryptionKeysOf({
  encryptionKey,
  encryptionKeys = [],
}: SectionValues<Section["settingsEncryption"]>): readonly NamedKey[] {
  return Object.freeze([...encryptionKeys, ...(encryptionKey ? [{ id: defaultKeyId, key: encryptionKey }] : [])]);
}

/** Reports two keys with the same id. */
export function encryptionKeyIssues({
  encryptionKey,
  encryptionKeys = [],
}: FoundValues<Section>["settingsEncryption"]): readonly OptionIssue[] {
  if (encryptionKey === undefined || !encryptionKeys.some(({ id }) => id === defaultKeyId)) return [];
  const message = `APPSERVER_SETTINGS_ENCRYPTION_KEY already has the id ${defaultKeyId}: expected another id, or only one of the two options`;
  return [{ at: ["settingsEncryption", "encryptionKeys"], message }];
}
