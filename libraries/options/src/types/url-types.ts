import { type OptionType, scalar } from "./option-type.ts";
import { inWords } from "./plain-types.ts";

/** An absolute URL with one of the schemes. A password in it is never shown. */
export function url(...schemes: readonly string[]): OptionType<string> {
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

/** The value of a browser's `Origin` header: only scheme, host and port. */
export const origin: OptionType<string> = scalar("an origin such as https://console.example.com", (given) => {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  return parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.origin === given ? given : undefined;
});

/** Hides the password, also in a text that is not a URL: messages show such texts. A password may contain `@` and `/`. */
function hidePassword(given: string): string {
  return given.replace(/^([a-z][a-z0-9+.-]*:\/\/)?([^:/?#]*):.*@/is, "$1$2:***@");
}
