import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AjvSchemas } from "./ajv-schemas.ts";

describe("input schemas", () => {
  const schemas = new AjvSchemas();
  const violations = (schema: object, input: unknown) => schemas.violations(JSON.stringify(schema), JSON.stringify(input));

  test("report what breaks them, and where", async () => {
    const schema = {
      type: "object",
      properties: { lines: { type: "array", items: { type: "object", properties: { count: { minimum: 1 } } } } },
      required: ["lines"],
    };
    assert.deepEqual(await violations(schema, { lines: [{ count: 1 }] }), []);
    assert.deepEqual(await violations(schema, { lines: [{ count: 1 }, { count: 0 }] }), [
      { field: "input.lines[1].count", message: "must be >= 1" },
    ]);
    assert.deepEqual(await violations(schema, {}), [{ field: "input", message: "must have required property 'lines'" }]);
  });

  test("each pattern is compiled separately", async () => {
    const schema = {
      properties: { a: { pattern: "^[a-z]+$" }, b: { pattern: "^[0-9]+$" } },
      patternProperties: { "^x_": false },
    };
    assert.deepEqual(await violations(schema, { a: "abc", b: "123" }), []);
    assert.equal((await violations(schema, { a: "123" }))[0]?.field, "input.a");
    assert.equal((await violations(schema, { b: "abc" }))[0]?.field, "input.b");
    assert.equal((await violations(schema, { x_: 1 }))[0]?.field, "input.x_");
  });

  test("both drafts, and formats", async () => {
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] };
    assert.equal((await violations(draft7, [7]))[0]?.field, "input[0]");
    assert.equal((await violations({ prefixItems: [{ type: "string" }] }, [7]))[0]?.field, "input[0]");
    assert.equal((await violations({ format: "uuid" }, "7")).length, 1);
  });

  test("drafts of common generators, as far as their keywords mean the same", async () => {
    const draft = (name: string) => `http://json-schema.org/${name}/schema#`;
    const rows: readonly (readonly [object, unknown, string | undefined])[] = [
      [
        { $schema: draft("draft-04"), definitions: { a: { minimum: 1 } }, properties: { id: { $ref: "#/definitions/a" } } },
        { id: 0 },
        "input.id",
      ],
      [{ $schema: "https://json-schema.org/draft-06/schema", propertyNames: { maxLength: 1 } }, { ab: 1 }, "input"],
      [
        { $schema: "https://json-schema.org/draft/2019-09/schema", $defs: { a: { const: 1 } }, unevaluatedProperties: false },
        { x: 1 },
        "input",
      ],
      [{ $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: [{ const: 1 }] }, [1], undefined],
    ];
    for (const [schema, input, field] of rows)
      assert.equal((await violations(schema, input))[0]?.field, field, JSON.stringify(schema));
    const problem = (schema: object) => schemas.problem(JSON.stringify(schema));
    for (const [schema, message] of [
      [
        { $schema: draft("draft-04"), properties: { a: { minimum: 0, exclusiveMinimum: true } } },
        /^\/properties\/a\/exclusiveMinimum means/,
      ],
      [{ $schema: draft("draft-04"), id: "urn:x" }, /^\/id means something else in .*draft-04/],
      [{ $schema: draft("draft-06"), allOf: [{ if: {} }] }, /^\/allOf\/0\/if means/],
      [{ $schema: draft("draft-03") }, /^\$schema must be draft-04, .* or 2020-12 of JSON Schema, got ".*draft-03/],
      [{ $schema: 7 }, /^\$schema must be/],
    ] as const)
      assert.match((await problem(schema)) ?? "", message);
    assert.equal(await problem({ $schema: draft("draft-04"), properties: { if: {}, id: { enum: [{ id: 1 }] } } }), undefined);
  });

  test("a pattern that backtracks exponentially in other engines takes almost no time", async () => {
    const startedAt = performance.now();
    await violations({ pattern: "^(a+)+$" }, `${"a".repeat(100_000)}!`);
    assert.ok(performance.now() - startedAt < 20_000);
  });

  test("uniqueItems compares by value, in time linear in the number of items", async () => {
    const schema = { uniqueItems: true };
    assert.deepEqual(await violations(schema, [{ a: 1, b: 2 }, { a: 1 }, 1, "1"]), []);
    assert.equal(
      (
        await violations(schema, [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ])
      ).length,
      1,
    );
    const startedAt = performance.now();
    await violations(
      schema,
      Array.from({ length: 100_000 }, (_, index) => ({ index })),
    );
    assert.ok(performance.now() - startedAt < 20_000);
  });

  for (const [name, schema] of [
    ["no JSON", "{"],
    ["no object", "[]"],
    ["an unknown type", '{"type":"text"}'],
    ["a back-reference", '{"pattern":"(a)\\\\1"}'],
    ["a look-ahead", '{"patternProperties":{"(?=a)":{}}}'],
    ["a reference elsewhere", '{"$ref":"https://example.com/schema.json"}'],
    ["an endless pattern", JSON.stringify({ pattern: "a".repeat(1001) })],
    ["a pattern that is large when it is written out", JSON.stringify({ pattern: "[a-z]{0,999}" })],
    [
      "patterns that are large together",
      JSON.stringify({ allOf: Array.from({ length: 12 }, (_, index) => ({ pattern: `${index}[a-z]{100}` })) }),
    ],
    ["a schema that is applied in place without end", '{"$ref":"#"}'],
  ] as const) {
    test(`${name} is refused as a schema`, async () => {
      assert.equal(typeof (await schemas.problem(schema)), "string");
    });
  }

  test("input nested deeper than the stack is refused and does not crash", async () => {
    const schema = { $defs: { node: { properties: { in: { $ref: "#/$defs/node" } } } }, $ref: "#/$defs/node" };
    const input = `${'{"in":'.repeat(100_000)}{}${"}".repeat(100_000)}`;
    assert.deepEqual(await schemas.violations(JSON.stringify(schema), input), [
      { field: "input", message: "is nested too deeply" },
    ]);
  });

  test("up to twenty violations are listed, and the rest is counted", async () => {
    const branches = Array.from({ length: 90 }, (_, index) => ({ const: index }));
    const found = await violations({ anyOf: branches }, "none");
    assert.deepEqual([found.length, found.at(-1)], [21, { field: "input", message: "and 71 more violations" }]);
    const [first] = await violations({ additionalProperties: { type: "string" } }, { ["k".repeat(100_000)]: 1 });
    assert.ok((first?.field.length ?? 0) <= 210);
  });

  test("a text that a pattern cannot match in bounded time breaks the schema", async () => {
    let seed = 1;
    const letters = Array.from({ length: 1_000_000 }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 2 === 0 ? "a" : "b";
    });
    assert.deepEqual(await violations({ pattern: ".*a.{90}x" }, `x${letters.join("")}`), [
      { field: "input", message: "has a text that is too long for the pattern it must match" },
    ]);
  });
});
