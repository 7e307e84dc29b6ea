import { quote } from "./quote.ts";

/**
 * Returns the problem of an `http(s)` URL in a manifest, or undefined. Only the canonical spelling passes: parsers read
 * `http:host`, `http:\\host` and `http://0x7f.1` differently, so a check by one parser does not hold for a request by another.
 */
export function httpUrlProblem(text: string, options: { readonly query?: boolean } = {}): string | undefined {
  const url = /^https?:\/\/[^/]/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const mayQuery = options.query === true;
  const without = mayQuery ? "user info and fragment" : "user info, query and fragment";
  if (url?.username !== "" || url.password !== "" || text.includes("#") || (!mayQuery && text.includes("?")))
    return `must be an http:// or https:// URL without ${without}, got ${quote(text)}`;
  if (url.href !== text && url.href !== `${text}/`) return `must be written as ${quote(url.href)}, got ${quote(text)}`;
  return undefined;
}
