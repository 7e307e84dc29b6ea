/** Words of lower-case letters and digits, joined by `.`, `_` or `-`. Source of an expression. Hook names and permissions use it too. */
export const nameGrammar = "[a-z0-9]+([._-][a-z0-9]+)*";
/** Maximum length of an app's name, in characters. */
export const appNameLimit = 63;
/** The grammar of app names, without {@link appNameLimit}; for messages. */
export const appNamePattern: RegExp = new RegExp(`^${nameGrammar}$`);

/** Names in this namespace belong to the platform, for example the hook `app.on_create`. */
const platformNamespace = "app";

/** Returns whether `text` is an app name (docs/interface/manifest.md#fields). */
export function isAppName(text: string): boolean {
  return text.length <= appNameLimit && appNamePattern.test(text);
}

/** Returns whether an app must not have this name. An app with such a name could not trigger its hooks. */
export function isReservedAppName(name: string): boolean {
  return name === platformNamespace || isPlatformHook(name);
}

/** Returns whether the hook belongs to the platform: `app.on_create`. Apps cannot trigger it. */
export function isPlatformHook(name: string): boolean {
  return name.startsWith(`${platformNamespace}.`);
}
