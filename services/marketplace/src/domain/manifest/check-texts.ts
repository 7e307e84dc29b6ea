import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { lineProblem, textProblem } from "@appserver/kernel";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Fields that may contain line breaks. */
const linedFields: ReadonlySet<string> = new Set([
  "description",
  "placeholder",
  "helpText",
  "icon",
  "inputSchema",
  "defaultValue",
  "input",
  "pattern",
  "enum",
  "options",
  "metadata",
  "environment",
]);

/** A part of the manifest. Its path is built only when there is a violation, because a manifest has thousands of parts. */
interface Part {
  readonly value: unknown;
  readonly name: string | number;
  readonly parent: Part | undefined;
  readonly mayHaveLines: boolean;
  /** Whether `name` is the key of a map, and no field of a message. */
  readonly isKey?: boolean;
}

/** A text, or a key of a map. */
interface Text extends Part {
  readonly value: string;
}

/**
 * Returns every text of the manifest. Adds a violation and returns undefined if their total length exceeds the limit. Asset
 * contents do not count as texts.
 */
export function textsOf(manifest: AppManifest, violations: Violations): readonly Text[] | undefined {
  const texts: Text[] = [];
  let length = 0;
  const open: Part[] = [{ value: manifest, name: "", parent: undefined, mayHaveLines: false }];
  for (let part = open.pop(); part; part = open.pop()) {
    const { value } = part;
    if (typeof value === "string") {
      texts.push({ ...part, value });
      length += value.length;
    } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) open.push(...membersOf(part, value));
  }
  const { textLength } = manifestLimits;
  const message = `has ${length} characters without its assets, at most ${textLength} are accepted`;
  return violations.check(length <= textLength, "manifest", message) ? texts : undefined;
}

/**
 * Checks that every text can be stored and displayed, and that names and other single-line texts contain no control characters.
 */
export function checkTexts(texts: readonly Text[], violations: Violations): void {
  for (const text of texts) {
    const problem = text.mayHaveLines ? textProblem(text.value) : lineProblem(text.value);
    if (problem === undefined) continue;
    const field = fieldOf(text);
    if (!violations.has(field)) violations.add(field, problem);
  }
}

function membersOf(parent: Part, value: object): readonly Part[] {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => ({ value: item, name: index, parent, mayHaveLines: parent.mayHaveLines }));
  const isMap = !Object.hasOwn(value, "$typeName");
  const members = Object.entries(value).filter(([name]) => isMap || !name.startsWith("$"));
  const parts = members.map(([name, member]: [string, unknown]) => ({
    value: member,
    name,
    parent,
    mayHaveLines: parent.mayHaveLines || linedFields.has(name),
    isKey: isMap,
  }));
  return isMap
    ? [...parts, ...members.map(([name]) => ({ value: name, name, parent, mayHaveLines: false, isKey: true }))]
    : parts;
}

function fieldOf({ name, parent, isKey }: Part): string {
  if (!parent) return "";
  const before = fieldOf(parent);
  if (typeof name === "number") return `${before}[${name}]`;
  const own = isKey ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return before === "" ? own : `${before}.${own}`;
}
