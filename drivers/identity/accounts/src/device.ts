const browsers = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
] as const;
const systems = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad)\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** Returns the program and the system of a `User-Agent`, so far as it names known ones: `Firefox on Linux`. */
export function deviceOf(userAgent: string): string {
  const named = (known: readonly (readonly [string, RegExp])[]) => known.find(([, form]) => form.test(userAgent))?.[0];
  const [browser, system] = [named(browsers), named(systems)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const [program = ""] = /^[\w.-]{1,40}/.exec(userAgent) ?? [];
  return program === "" ? "another program" : program;
}
