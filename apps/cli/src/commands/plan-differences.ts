import type { NeededApprovalFragment } from "../generated/operations.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns what a manifest changes, as sections of a plan. */
export function differenceSections(differences: object): readonly string[] {
  return Object.entries(differences).map(([what, value]) => {
    if (what === "irreversibleMigration" && value === true) return "irreversible migration: a rollback will not be possible";
    return isObject(value) ? section(what, differenceLines(value)) : "";
  });
}

/** Returns a part of a plan under its title. Empty without lines. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`${title}:`, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Formats a permission that needs an approval, with its reason. */
export function neededText({ scope, resourceType, reason }: NeededApprovalFragment): string {
  return [scope, resourceType && `of ${resourceType}`, reason].filter(Boolean).join(" ");
}

/** Returns the lines of one kind of differences: what is added, removed and changed, or the value before and after. */
function differenceLines(differences: JsonObject): readonly string[] {
  if ("from" in differences || "to" in differences)
    return [`changed: ${valueText(differences["from"])} -> ${valueText(differences["to"])}`];
  return (["added", "removed", "changed"] as const).flatMap((change) => {
    const entries = differences[change];
    if (!Array.isArray(entries)) return [];
    return entries.map((entry) => `${change}: ${change === "changed" ? changeText(entry) : entryText(entry)}`);
  });
}

/** Formats an entry of a list: a permission, a route, a setting, a variable of the environment and so on. */
function entryText(entry: unknown): string {
  if (typeof entry === "string") return entry;
  if (!isObject(entry)) return JSON.stringify(entry);
  const { scope, resourceType, pattern, methods, href, titles, key, type, appName, versionConstraint, mountPath } = entry;
  if (scope !== undefined) return `${scope} of ${resourceType}`;
  if (pattern !== undefined) return `${listText(methods, " ")} ${pattern} (${accessText(entry)})`;
  if (href !== undefined) return `${href} (${listText(titles, " > ")})`;
  if (key !== undefined) return `${key} (${type})`;
  if (mountPath !== undefined) return `${entry["name"]} (${mountPath}, ${entry["size"]})`;
  if (entry["value"] !== undefined) return `${entry["name"]}=${entry["value"]}`;
  if (entry["setting"] !== undefined) return `${entry["name"]} (value of ${entry["setting"]})`;
  if (entry["resource"] !== undefined) return `${entry["resource"]} ${entry["limit"]}`;
  if (appName !== undefined) return [appName, versionConstraint].filter(Boolean).join(" ");
  return JSON.stringify(entry);
}

/** Formats the fields that differ. */
function changeText(change: unknown): string {
  const { from, to, fields } = isObject(change) ? change : {};
  if (!isObject(from) || !isObject(to) || !Array.isArray(fields)) return JSON.stringify(change);
  // The digest of a permission says nothing to people: its other fields differ as well.
  const differing = fields.map(String).filter((name) => name !== "digest");
  return `${entryText(from)}: ${differing.map((name) => `${name} ${valueText(from[name])} -> ${valueText(to[name])}`).join(", ")}`;
}

function accessText({ isPublic, scopes }: JsonObject): string {
  if (isPublic === true) return "public";
  return listText(scopes, ", ") || "every signed-in caller";
}

function listText(list: unknown, separator: string): string {
  return Array.isArray(list) ? list.join(separator) : "";
}

function valueText(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
