import semver from "semver";

const version = String.raw`(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`;

/** The five forms of docs/interface/manifest.md#dependencies: `1.2.3`, `>=1.0.0`, `>=1.0.0 <2.0.0`, `~1.2.0`, `^1.2.0`. */
const forms = new RegExp(String.raw`^(?:${version}|>=\s*${version}(?:\s+<\s*${version})?|~\s*${version}|\^\s*${version})$`);

export const constraintForms = "1.2.3, >=1.0.0, >=1.0.0 <2.0.0, ~1.2.0 or ^1.2.0";

/** Maximum length of a constraint. A semantic version has at most 256 characters (node-semver's own limit). */
const maxLength = 520;

export function isVersion(text: string): boolean {
  return semver.valid(text) !== null && semver.valid(text) === text.replace(/\+.*$/, "");
}

export function isConstraint(text: string): boolean {
  return text.length <= maxLength && forms.test(text) && semver.validRange(text) !== null;
}

/** Returns whether `version` meets `constraint`. Every version meets an absent constraint. */
export function satisfies(candidate: string, constraint: string | undefined): boolean {
  return constraint === undefined || constraint === "" || (isConstraint(constraint) && semver.satisfies(candidate, constraint));
}

/** Returns a negative number if a is lower than b, and zero if they have equal precedence. */
export function compareVersions(a: string, b: string): number {
  return semver.compare(a, b);
}
