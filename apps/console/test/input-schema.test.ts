import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { draftsOf, fieldsOf, inputOf, placed } from "../web/features/activities/input-schema.ts";
import { loadRules } from "../web/features/settings/check-value.ts";
import type { Draft } from "../web/features/settings/draft.ts";

const schema = {
  type: ["object", "null"],
  required: ["name"],
  properties: {
    name: { type: "string", title: "Name", description: "Of the report", minLength: 2 },
    pages: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    kind: { type: "string", enum: ["long", "short"] },
    day: { type: "string", format: "date" },
    isPublic: { type: ["boolean", "null"] },
    tags: { type: "array", items: { type: "string" } },
    filter: { type: "object" },
    size: { enum: [1, 2] },
    open: {},
  },
};
const fields = fieldsOf(schema) ?? assert.fail("no form");
const text = (entered: string): Draft => ({ kind: "text", text: entered });

describe("the form of an input schema", () => {
  before(loadRules);

  test("each property has the type of a setting; what no input fits is JSON", () => {
    assert.deepEqual(
      fields.map(({ key, type, isArray, required }) => `${key} ${type}${isArray ? "[]" : ""}${required ? " required" : ""}`),
      [
        "name STRING required",
        "pages INT",
        "kind STRING",
        "day STRING",
        "isPublic BOOL",
        "tags STRING[]",
        "filter JSON",
        "size JSON",
        "open JSON",
      ],
    );
    assert.equal(fields[0]?.description, "Name: Of the report");
    assert.deepEqual(fields[2]?.choices, ["long", "short"]);
  });

  for (const [name, other] of [
    ["no schema", undefined],
    ["a schema of a number", { type: "number" }],
    ["an object without properties", { type: "object" }],
    ["a reference", { $ref: "#/$defs/input" }],
  ] as const)
    test(`${name} has no form`, () => assert.equal(fieldsOf(other), undefined));

  test("defaults are entered at first, and empty fields are not sent", () => {
    const drafts = new Map(draftsOf(fields, undefined)).set("name", text("Q3")).set("day", text(" "));
    assert.deepEqual(inputOf(fields, drafts), { input: { name: "Q3", pages: 3 } });
  });

  test("values are checked by type and rules, and a required one must be there", () => {
    const drafts = new Map([
      ["pages", text("10")],
      ["filter", text("{")],
    ]);
    const result = inputOf(fields, drafts);
    assert.ok("problems" in result);
    assert.deepEqual([...result.problems.keys()], ["name", "pages", "filter"]);
    assert.deepEqual(result.problems.get("name"), ["is required"]);
  });

  test("an input is shown again, unless the form would lose a part of it", () => {
    const input = { name: "Q3", tags: ["a", "b"], isPublic: false, filter: { x: [1] } };
    assert.deepEqual(inputOf(fields, draftsOf(fields, input) ?? assert.fail()), { input });
    assert.equal(draftsOf(fields, { other: 1 }), undefined);
    assert.equal(draftsOf(fields, { pages: "three" }), undefined);
    assert.equal(draftsOf(fields, [1]), undefined);
  });

  test("what the platform refuses is placed at its field", () => {
    const { problems, others } = placed(fields, [
      { field: "input", message: "must have required property 'name'" },
      { field: "input.tags[1]", message: "must be string" },
      { field: "input.pages", message: "must be multiple of 2" },
      { field: "input", message: "must NOT have more than 5 properties" },
    ]);
    assert.deepEqual(
      [...problems],
      [
        ["name", ["is required"]],
        ["tags", ["[1] must be string"]],
        ["pages", ["must be multiple of 2"]],
      ],
    );
    assert.equal(others.length, 1);
  });
});
