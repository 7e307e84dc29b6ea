import { databasePasswordPrefix } from "@appserver/kernel";

const mask = "********";
/** A shorter value would also be replaced where it is a part of other text. */
const shortest = 4;
/** The secrets that the platform makes for a deployment and keeps nowhere: they are found by their form. */
const forms: readonly RegExp[] = [
  new RegExp(`${databasePasswordPrefix}[\\w-]{20,}`, "g"),
  // The forward secret: 32 bytes in base64.
  /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/**
 * Returns lines of an app's log without secrets that the platform gave to the app: the values, and what has the form of a secret of
 * its deployment. A secret of several lines becomes one line.
 */
export function maskSecrets(lines: readonly string[], values: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const written = values.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
  ]);
  const longestFirst = written.filter((value) => value.length >= shortest).sort((left, right) => right.length - left.length);
  const known = longestFirst.reduce((text, value) => text.replaceAll(value, mask), lines.join("\n"));
  return forms.reduce((text, form) => text.replace(form, mask), known).split("\n");
}
