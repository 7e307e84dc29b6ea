import { quote } from "@appserver/contracts/patterns";

type Schema = Readonly<Record<string, unknown>>;

/** The dialect that a schema is compiled with. */
export type Dialect = "draft-07" | "2019-09" | "2020-12";

interface Draft {
  readonly dialect: Dialect;
  /** Whether a validator of the dialect knows the draft by its `$schema`. */
  readonly isKnown: boolean;
  /** Keywords that mean something else in the dialect than in the draft. */
  readonly foreign?: ReadonlySet<string>;
}

const since6 = ["$id", "const", "contains", "propertyNames"];
const since7 = ["if", "then", "else"];

/** The drafts by `$schema`, without its scheme and an empty fragment (docs/interface/activities.md#input). */
const drafts: Readonly<Record<string, Draft>> = {
  "json-schema.org/draft-04/schema": { dialect: "draft-07", isKnown: false, foreign: new Set(["id", ...since6, ...since7]) },
  "json-schema.org/draft-06/schema": { dialect: "draft-07", isKnown: false, foreign: new Set(since7) },
  "json-schema.org/draft-07/schema": { dialect: "draft-07", isKnown: true },
  "json-schema.org/draft/2019-09/schema": { dialect: "2019-09", isKnown: true },
  "json-schema.org/draft/2020-12/schema": { dialect: "2020-12", isKnown: true },
};

const names = "draft-04, draft-06, draft-07, 2019-09 or 2020-12";

/**
 * Returns the dialect that a schema is compiled with, and the schema for it. Without `$schema` it is 2020-12. Throws an error for
 * another draft, and for a keyword that has another meaning in the dialect than in the schema's draft.
 */
export function inDialect(schema: Schema): { readonly dialect: Dialect; readonly schema: Schema } {
  const { $schema: declared, ...rest } = schema;
  if (declared === undefined) return { dialect: "2020-12", schema };
  const draft = typeof declared === "string" ? drafts[declared.replace(/^https?:\/\/|#$/g, "")] : undefined;
  if (!draft) throw new Error(`$schema must be ${names} of JSON Schema, got ${quote(String(declared))}`);
  const { dialect, isKnown, foreign } = draft;
  if (isKnown) return { dialect, schema };
  if (foreign) requireSameMeaning(rest, foreign, String(declared));
  return { dialect, schema: rest };
}

const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "definitions", "dependencies"]);
const values: ReadonlySet<string> = new Set(["enum", "default", "const", "examples", "required"]);

/** Throws an error with the first keyword, as a JSON pointer. Its schemas nest no deeper than the limit of schemas. */
function requireSameMeaning(schema: Schema, foreign: ReadonlySet<string>, draft: string): void {
  const open: { readonly at: string; readonly part: unknown; readonly isMap: boolean }[] = [
    { at: "", part: schema, isMap: false },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { at, part, isMap } = next;
    if (typeof part !== "object" || part === null) continue;
    for (const [key, value] of Object.entries(part)) {
      const place = `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const isKeyword = !isMap && !Array.isArray(part);
      const isBoolean = (key === "exclusiveMinimum" || key === "exclusiveMaximum") && typeof value === "boolean";
      if (isKeyword && (isBoolean || (foreign.has(key) && typeof value !== "undefined")))
        throw new Error(
          `${place} means something else in ${draft} than in later drafts: use $schema draft-07 or later, or leave it out`,
        );
      if (!isKeyword || !values.has(key)) open.push({ at: place, part: value, isMap: isKeyword && maps.has(key) });
    }
  }
}
