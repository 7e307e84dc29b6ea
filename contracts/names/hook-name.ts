import { appNameLimit, appNamePattern } from "./app-name.ts";

/** Maximum length of a hook's name, in characters: an app's name, a dot and a suffix of the same length. */
export const hookNameLimit: number = 2 * appNameLimit + 1;

/** Returns whether `text` is a hook's name (docs/interface/manifest.md#hooks). */
export function isHookName(text: string): boolean {
  return text.length <= hookNameLimit && appNamePattern.test(text);
}
