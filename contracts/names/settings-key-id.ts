/** The ids of keys that encrypt settings, without anchors. Encrypted values contain them. */
export const settingsKeyIdGrammar = "[A-Za-z0-9_-]{1,32}";

const wholeId = new RegExp(`^${settingsKeyIdGrammar}$`);

/** Returns whether the text can be the id of a settings key. */
export function isSettingsKeyId(text: string): boolean {
  return wholeId.test(text);
}
