/** The part of Trusted Types that the console uses (https://www.w3.org/TR/trusted-types/). Undefined in browsers without them. */
interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { createHTML?(text: string): string | null; createScript?(text: string): string },
  ): { createScript(text: string): string };
}

const factory = (globalThis as { readonly trustedTypes?: PolicyFactory }).trustedTypes;

/**
 * Lets libraries set the text of their style elements, which browsers count as HTML: a text without "<" contains no element. Everything
 * else that would become HTML, a script or the address of a script is refused.
 */
export function allowStyles(): void {
  factory?.createPolicy("default", { createHTML: (text) => (text.includes("<") ? null : text) });
}

const importMaps = factory?.createPolicy("appserver-import-map", { createScript: (text) => text });

/** Returns the content of an import map, which browsers count as a script. It must be JSON that the console has made. */
export function importMapText(map: object): string {
  const text = JSON.stringify(map);
  return importMaps ? importMaps.createScript(text) : text;
}
