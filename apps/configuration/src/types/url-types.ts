import { inWords } from "./plain-types.ts";
import { type SettingType, scalar } from "./setting-type.ts";

/** An absolute URL of one of the schemes; it may hold a password, which is never shown. */
export function url(...schemes: readonly string[]): SettingType<string> {
  const expected = `a URL that starts with ${inWords(
    schemes.map((scheme) => `${scheme}://`),
    "or",
  )}`;
  return {
    ...scalar(expected, (given) => {
      const parsed = URL.canParse(given) ? new URL(given) : undefined;
      return parsed !== undefined && schemes.includes(parsed.protocol.slice(0, -1)) && parsed.host !== "" ? given : undefined;
    }),
    hidePassword,
  };
}

/** What a browser sends as `Origin`: scheme, host and port alone. */
export const origin: SettingType<string> = scalar("an origin such as https://console.example.com", (given) => {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.origin === given ? given : undefined;
});

/** Works on texts that are no URL too: those are what messages show. A password may itself hold `@` and `/`. */
function hidePassword(given: string): string {
  return given.replace(/^([a-z][a-z0-9+.-]*:\/\/)?([^:/?#]*):.*@/is, "$1$2:***@");
}
