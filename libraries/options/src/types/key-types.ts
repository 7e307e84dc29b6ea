import { settingsKeyIdGrammar } from "@appserver/contracts/names";
import type { OptionType, Reading } from "./option-type.ts";

const keyBytes = 32;
const keyForms = "32 bytes: 64 hex digits, base64 (43 or 44 characters), or 32 characters as they are";

/** An encryption key with its id. Encrypted values store the id. */
export interface NamedKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/**
 * 32 bytes. The length alone decides the notation, so a text cannot be read in two ways: 64 characters are hex, 43 or 44 are
 * base64 (also its URL alphabet, padded or not), 32 bytes of text are the key itself, even if they are hex digits.
 */
export const key32: OptionType<Buffer> = {
  expected: keyForms,
  read: (text) => {
    const key = decodeKey(text);
    return key === undefined ? { expected: keyForms } : { value: key };
  },
  readBytes: (bytes) => (bytes.length === keyBytes ? { value: Buffer.from(bytes) } : { expected: keyForms }),
};

const listForm = `id:key,id:key with ids of letters, digits, "_" and "-", each once, the newest first; each key ${keyForms}`;

/** Keys for rotation, newest first. A key given as characters cannot contain a comma here: write it as hex or base64. */
export const namedKeys: OptionType<readonly NamedKey[]> = {
  expected: listForm,
  read: (text) => readKeys(text.split(",").map((part) => part.trim())),
  readItems: readKeys,
};

const namedKey = new RegExp(`^(${settingsKeyIdGrammar}):(.+)$`, "s");

function readKeys(items: readonly string[]): Reading<readonly NamedKey[]> {
  const keys: NamedKey[] = [];
  for (const item of items) {
    const [, id = "", written = ""] = namedKey.exec(item) ?? [];
    const key = decodeKey(written);
    if (key === undefined || keys.some((other) => other.id === id)) return { expected: listForm };
    keys.push({ id, key });
  }
  return keys.length === 0 ? { expected: listForm } : { value: keys };
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return Buffer.from(text, "hex");
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, "base64");
  const raw = Buffer.from(text, "utf8");
  return raw.length === keyBytes ? raw : undefined;
}
