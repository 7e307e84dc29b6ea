import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { isConstraint, isVersion, satisfies } from "@appserver/marketplace";

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const folder = join(corpora, "semver");

/** First the columns, then the options: `true` or an object. Strict cases have none, and only these are tested. */
type Row = readonly unknown[];

const version = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?`;
/** The five forms of a constraint (docs/interface/manifest.md#dependencies). */
const fiveForms = new RegExp(`^(?:${version}|>=${version}|>=${version} <${version}|~${version}|\\^${version})$`);
const plainVersion = new RegExp(`^${version}$`);

/** Space after an operator is accepted, as npm does. */
function isOfFiveForms(range: unknown): boolean {
  return fiveForms.test(String(range).replaceAll(/(>=|<|~|\^)\s+/g, "$1"));
}

function read(file: string): readonly Row[] {
  return JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly Row[];
}

/** Strict rows whose range has one of the five forms and whose version is plain. */
function judged(file: string): readonly (readonly [range: string, candidate: string])[] {
  return read(file).flatMap(([range, candidate, options]) =>
    options === undefined && isOfFiveForms(range) && plainVersion.test(String(candidate))
      ? [[String(range), String(candidate)] as const]
      : [],
  );
}

/** Tested rows of each file at its recorded commit. Fewer mean that some were lost. */
const satisfaction = [
  { file: "range-include.json", expected: true, cases: 18 },
  { file: "range-exclude.json", expected: false, cases: 19 },
  { file: "version-gt-range.json", expected: false, cases: 5 },
  { file: "version-lt-range.json", expected: false, cases: 9 },
] as const;

if (!existsSync(folder)) {
  test("node-semver's range fixtures", { skip: "corpora absent" });
} else {
  for (const { file, expected, cases } of satisfaction) {
    test(`${file}: versions ${expected ? "meet" : "miss"} their constraints`, () => {
      const rows = judged(file);
      assert.equal(rows.length, cases);
      for (const [range, candidate] of rows) {
        assert.equal(isConstraint(range), true, range);
        assert.equal(satisfies(candidate, range), expected, `${candidate} in ${range}`);
      }
    });
  }

  test("range-parse.json: the five forms are constraints; an invalid range is not", () => {
    const strict = read("range-parse.json").filter(([, , options]) => options === undefined);
    const forms = strict.filter(([range, parsed]) => parsed !== null && isOfFiveForms(range));
    const refused = strict.filter(([, parsed]) => parsed === null);
    assert.deepEqual([forms.length, refused.length], [11, 10]);
    for (const [range] of forms) assert.equal(isConstraint(String(range)), true, String(range));
    for (const [range] of refused) assert.equal(isConstraint(String(range)), false, String(range));
  });

  test("range-parse.json: ranges of any other form are refused", () => {
    const others = read("range-parse.json").filter(([range]) => !isOfFiveForms(range));
    assert.equal(others.length, 111);
    for (const [range] of others) assert.equal(isConstraint(String(range)), false, String(range));
  });

  test("valid-versions.json and invalid-versions.json: versions are accepted or refused unchanged", () => {
    const valid = read("valid-versions.json").map(([text]) => String(text));
    const invalid = read("invalid-versions.json").map(([text]) => String(text));
    assert.deepEqual([valid.length, invalid.length], [22, 10]);
    for (const text of valid) assert.equal(isVersion(text), plainVersion.test(text), text);
    for (const text of invalid) assert.equal(isVersion(text), false, text);
  });
}
