import type { IncomingHttpHeaders } from "node:http";
import { languageCookie } from "@appserver/contracts/languages";

/**
 * Returns the language of a page: the one that the person has chosen in this browser, or else the first of the browser's preferences
 * (RFC 9110 §12.5.4) that the page has. Regions are ignored. Undefined if there is none.
 */
export function pageLanguage(
  { cookie = "", "accept-language": accepted = "" }: IncomingHttpHeaders,
  languages: readonly string[],
): string | undefined {
  const mark = `${languageCookie}=`;
  const stored = cookie.split(/;\s*/).find((each) => each.startsWith(mark));
  const chosen = stored?.slice(mark.length) ?? "";
  if (languages.includes(chosen)) return chosen;
  const wanted = accepted.split(",").map((each) => {
    const [range = "", weight = ""] = each
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/, 2);
    return { language: range.split("-", 1)[0] ?? "", weight: weight === "" ? 1 : Number(weight) };
  });
  // The sort is stable, and what is not a number is no preference.
  const known = wanted.filter(({ language, weight }) => languages.includes(language) && weight > 0);
  return known.sort((one, other) => other.weight - one.weight)[0]?.language;
}
