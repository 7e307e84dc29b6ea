import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { groupCondition, userCondition } from "./conditions.ts";
import { parseFilter } from "./filter.ts";
import { ScimError } from "./scim-error.ts";

function invalidFilter(error: unknown): true {
  assert.ok(error instanceof ScimError);
  assert.deepEqual([error.status, error.scimType], [400, "invalidFilter"]);
  return true;
}

describe("filters", () => {
  const read: [string, readonly object[]][] = [
    ['userName eq "ada"', [{ name: "username", value: "ada" }]],
    ['USERNAME  EQ  "a \\"b\\" \\u0041"', [{ name: "username", value: 'a "b" A' }]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"', [{ name: "username", value: "ada" }]],
    ["active eq true", [{ name: "active", value: true }]],
    ['emails eq "a@b"', [{ list: "emails", element: [{ name: "value", value: "a@b" }] }]],
    ['emails.value eq "a@b"', [{ list: "emails", element: [{ name: "value", value: "a@b" }] }]],
    [
      'emails[type eq "work" and value eq "a@b"]',
      [
        {
          list: "emails",
          element: [
            { name: "type", value: "work" },
            { name: "value", value: "a@b" },
          ],
        },
      ],
    ],
    [
      'emails[type eq "work"].value eq "a@b" and userName eq "x"',
      [
        {
          list: "emails",
          element: [
            { name: "type", value: "work" },
            { name: "value", value: "a@b" },
          ],
        },
        { name: "username", value: "x" },
      ],
    ],
  ];
  for (const [text, expected] of read)
    it(text, () => {
      assert.deepEqual(parseFilter(text), expected);
    });

  const refused = [
    "",
    "userName",
    "userName eq",
    "userName eq ada",
    'userName eq "ada',
    "userName eq 'ada'",
    'userName co "a"',
    'userName eq "a" or userName eq "b"',
    'not (userName eq "a")',
    '(userName eq "a")',
    'userName eq "a" and',
    'userName eq "a" userName eq "b"',
    'emails[type eq "work"',
    'emails[emails[type eq "work"]]',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    "userName eq null",
    'userName eq "a"; drop table accounts.people',
    "(".repeat(999),
    "emails[".repeat(150),
    `userName eq "${"a".repeat(1_000)}"`,
    Array.from({ length: 11 }, () => 'id eq "a"').join(" and "),
  ];
  for (const text of refused)
    it(`refuses ${text.slice(0, 60)}`, () => {
      assert.throws(() => parseFilter(text), invalidFilter);
    });

  it("takes no time that grows faster than the text", () => {
    const startedAt = performance.now();
    for (const text of [`userName eq "${"\\".repeat(900)}`, " ".repeat(1_000), "a.".repeat(500), `"${'"'.repeat(900)}`])
      assert.throws(() => parseFilter(text), invalidFilter);
    assert.ok(performance.now() - startedAt < 200);
  });

  it("values are parameters, and names are those of a list", () => {
    const text = "'; drop table accounts.people; --";
    const { sql, parameters } = userCondition(parseFilter(`externalId eq "${text}"`));
    assert.ok(!sql.includes("drop"));
    assert.deepEqual(parameters, [text]);
    for (const name of ["constructor", "__proto__", "toString", "password", "name.familyName", "meta.created"])
      assert.throws(() => userCondition(parseFilter(`${name} eq "a"`)), invalidFilter, name);
    for (const part of ["constructor", "toString", "display"])
      assert.throws(() => userCondition(parseFilter(`emails[${part} eq "a"]`)), invalidFilter, part);
    assert.throws(() => userCondition(parseFilter('active eq "true"')), invalidFilter);
    assert.throws(() => userCondition(parseFilter("userName eq true")), invalidFilter);
    assert.throws(() => userCondition(parseFilter('members eq "a"')), invalidFilter);
    assert.throws(() => groupCondition(parseFilter('members[type eq "User"]')), invalidFilter);
    assert.equal(userCondition(parseFilter('id eq "no uuid"')).sql, "false");
  });
});
