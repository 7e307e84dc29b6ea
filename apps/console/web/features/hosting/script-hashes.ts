/**
 * Returns the hashes of an import map, by path. A path is there in each form in which a script may import it: as the platform lists it,
 * and as browsers read it in a relative import, which leave characters such as `[` and `$` as they are.
 */
export function scriptHashes(
  scripts: readonly { readonly url: string; readonly integrity: string }[],
): Readonly<Record<string, string>> {
  const entries = scripts.flatMap(({ url, integrity }) => [url, asImported(url)].map((path) => [path, integrity] as const));
  return Object.fromEntries(entries);
}

/** The names of assets have no `%`, `?` and `#`. */
function asImported(url: string): string {
  return new URL(decodeURIComponent(url), "http://platform").pathname;
}
