/**
 * Returns the path to which a login or logout sends the browser: the given one, or `/`. Other origins are not accepted, because a
 * link to the platform would then lead its user to any page.
 */
export function returnPath(given: unknown): string {
  if (typeof given !== "string" || given.length > 2_000) return "/";
  const base = "http://platform.invalid";
  const url = URL.canParse(given, base) ? new URL(given, base) : undefined;
  if (url?.origin !== base || !given.startsWith("/") || url.pathname.startsWith("//")) return "/";
  return `${url.pathname}${url.search}`;
}
