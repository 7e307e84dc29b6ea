import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { SettingDataType, SettingDefinitionSchema } from "../generated/proto/appserver/v2/settings_pb.js";
import { effectiveDefinitions } from "./platform-settings.ts";
import { settingProblems, settingVariable } from "./setting-definition.ts";

const T = SettingDataType;
const codes = (init: MessageInitShape<typeof SettingDefinitionSchema>, value: unknown) =>
  settingProblems(create(SettingDefinitionSchema, { key: "k", ...init }), value).map(({ code }) => code);

/** For each data type: valid values, then invalid values. */
const samples: readonly (readonly [SettingDataType, readonly unknown[], readonly unknown[]])[] = [
  [T.STRING, ["", "ä", "\u0000"], [1, null, true, ["a"], {}]],
  [T.STRING_REQUIRED, ["x"], [1, null]],
  [T.INT, [0, -1, Number.MAX_SAFE_INTEGER], [1.5, "1", Number.NaN, 2 ** 60, null]],
  [T.INT_REQUIRED, [7], [7.1, "7"]],
  [T.FLOAT, [0, 1.5, -1e300], ["1", Number.POSITIVE_INFINITY, Number.NaN, null]],
  [T.FLOAT_REQUIRED, [0.1], [true]],
  [T.BOOL, [true, false], [0, "true", null]],
  [T.BOOL_REQUIRED, [true], [1]],
  [T.STRING_ARRAY, [[], ["a", ""]], ["a", [1], ["a", null]]],
  [T.INT_ARRAY, [[], [1, 2]], [[1.5], ["1"], 1]],
  [T.FLOAT_ARRAY, [[], [1.5]], [["1.5"], [null]]],
  [T.BOOL_ARRAY, [[], [true]], [[1], true]],
  [T.JSON, [{ a: [1, null] }, "x", 1, []], []],
  [T.JSON_REQUIRED, [{}], []],
  [
    T.KVPAIR_ARRAY,
    [[], [{ key: "a", value: 1 }], [{ key: "a", value: null }]],
    [[{ key: 1, value: 1 }], [{ key: "a" }], {}, [[]]],
  ],
];

describe("setting values", () => {
  test("each of the fifteen data types accepts only values of its type", () => {
    assert.equal(new Set(samples.map(([type]) => type)).size, 15);
    for (const [dataType, fitting, others] of samples) {
      for (const value of fitting) assert.deepEqual(codes({ dataType }, value), [], `${T[dataType]} ${JSON.stringify(value)}`);
      for (const value of others) assert.deepEqual(codes({ dataType }, value), ["TYPE"], `${T[dataType]} ${String(value)}`);
    }
    assert.deepEqual(codes({}, 1), ["UNKNOWN_TYPE"]);
  });

  test("every broken rule is reported once, also for arrays", () => {
    const text = { dataType: T.STRING_ARRAY, validation: { minLength: 3, maxLength: 4, pattern: "^[a-z]+$", enum: ["abc"] } };
    assert.deepEqual(codes(text, ["abc"]), []);
    assert.deepEqual(codes(text, ["A", "B", "ABCDE"]), ["MIN_LENGTH", "ENUM", "PATTERN", "MAX_LENGTH"]);
    const number = { dataType: T.FLOAT, validation: { min: 1, max: 2 } };
    assert.deepEqual([codes(number, 1), codes(number, 2), codes(number, 0.9), codes(number, 2.1)], [[], [], ["MIN"], ["MAX"]]);
  });

  test("lengths count characters, not code units", () => {
    assert.deepEqual(codes({ dataType: T.STRING, validation: { maxLength: 2 } }, "😀😀"), []);
  });

  test("a pattern may match any part of the text, and matching is fast", () => {
    assert.deepEqual(codes({ dataType: T.STRING, validation: { pattern: "b" } }, "abc"), []);
    const evil = { dataType: T.STRING, validation: { pattern: "^(a+)+$" } };
    assert.deepEqual(codes(evil, `${"a".repeat(100_000)}!`), ["PATTERN"]);
  });

  test("a value that is too large is refused, and no message contains the value", () => {
    const canary = "c4nary".repeat(50_000);
    assert.deepEqual(codes({ dataType: T.JSON }, { canary }), ["TOO_LARGE"]);
    const rules = { minLength: 400_000, maxLength: 1, pattern: "^x$", enum: ["x"] };
    for (const dataType of [T.STRING, T.INT, T.BOOL_ARRAY]) {
      const definition = create(SettingDefinitionSchema, { key: "k", dataType, validation: rules });
      assert.ok(settingProblems(definition, canary.slice(0, 60)).every(({ message }) => !message.includes("c4nary")));
    }
  });

  test("a value is a text in its variable, and one that no variable can have is refused", () => {
    const texts = [
      [T.STRING, "a b", "a b"],
      [T.INT, 7, "7"],
      [T.FLOAT_REQUIRED, 0.5, "0.5"],
      [T.BOOL, false, "false"],
      [T.STRING_ARRAY, ["a", "b"], '["a","b"]'],
      [T.JSON, "a", '"a"'],
      [T.JSON, null, "null"],
      [T.KVPAIR_ARRAY, [{ key: "a", value: 1 }], '[{"key":"a","value":1}]'],
    ] as const;
    for (const [dataType, value, text] of texts) assert.equal(settingVariable({ dataType }, value), text);
    const env = "GREETING";
    const most = "ä".repeat(8_192);
    assert.deepEqual(
      [most, `${most}a`, "a\u0000"].map((value) => codes({ dataType: T.STRING, env }, value)[0]),
      [undefined, "TOO_LARGE", "TOO_LARGE"],
    );
    assert.deepEqual(codes({ dataType: T.STRING }, `${most}a\u0000`), []);
  });

  test("every app has the platform's settings, and their allowed values cannot be changed", () => {
    const declared = create(SettingDefinitionSchema, {
      key: "docker.image.stage",
      dataType: T.JSON,
      defaultValue: '"testing"',
    });
    const own = create(SettingDefinitionSchema, { key: "a", dataType: T.INT });
    const [first, stage, upgrade, sleep, backup, replicas, ...more] = effectiveDefinitions([declared, own]);
    assert.deepEqual([first?.key, stage?.key, stage?.defaultValue, more.length], ["a", "docker.image.stage", '"testing"', 0]);
    assert.deepEqual([upgrade?.key, upgrade?.defaultValue], ["app.auto_upgrade", undefined]);
    assert.equal(sleep?.key, "app.sleep_after");
    assert.ok(stage && upgrade && backup && replicas);
    assert.deepEqual(
      [backup.key, settingProblems(backup, true), settingProblems(backup, "yes").length],
      ["backup.before_upgrade", [], 1],
    );
    assert.deepEqual([settingProblems(replicas, 100), settingProblems(replicas, 101).length], [[], 1]);
    assert.deepEqual(settingProblems(upgrade, "minor"), []);
    assert.equal(settingProblems(upgrade, "major")[0]?.code, "ENUM");
    assert.deepEqual(settingProblems(stage, "pre-release"), []);
    assert.equal(settingProblems(stage, "../evil")[0]?.code, "ENUM");
  });

  test("the number of replicas has the maximum of the platform, and says why", () => {
    const replicaLimit = { most: 3, because: "an operator can raise it" };
    const replicas = effectiveDefinitions([], { replicaLimit }).find(({ key }) => key === "containers.replicas");
    assert.ok(replicas);
    assert.deepEqual([settingProblems(replicas, 3), settingProblems(replicas, 4).length], [[], 1]);
    assert.match(replicas.description, /At most 3: an operator can raise it\.$/);
  });

  test("the image stage of a manifest that names its image by digest says that it has no effect", () => {
    const declared = create(SettingDefinitionSchema, {
      key: "docker.image.stage",
      dataType: T.STRING,
      description: "Channel.",
    });
    const [stage, upgrade] = effectiveDefinitions([declared], { imageDigest: "sha256:signed" });
    assert.match(stage?.description ?? "", /^Has no effect: .*digest\. Channel\.$/);
    assert.deepEqual(upgrade, effectiveDefinitions([declared])[1]);
  });
});

/** Returns letters in irregular order, so that an automaton needs a new state for each. */
function irregular(length: number): string {
  let seed = 1;
  return Array.from({ length }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 2 === 0 ? "a" : "b";
  }).join("");
}

describe("the cost of checking a value", () => {
  test("a text that cannot be matched within the budget is refused with the reason", () => {
    const letters = `x${irregular(50_000)}`;
    const definition = create(SettingDefinitionSchema, { key: "k", dataType: T.STRING, validation: { pattern: ".*a.{90}x" } });
    const [problem] = settingProblems(definition, letters);
    assert.deepEqual([problem?.code, problem?.message], ["PATTERN", "must match .*a.{90}x, and is too long to be matched"]);
    assert.deepEqual(codes({ dataType: T.STRING, validation: { pattern: "^x[ab]+$" } }, letters), []);
  });

  test("all texts of an array share one budget", () => {
    const rules = { dataType: T.STRING_ARRAY, validation: { pattern: "^.*a.{20}x$" } };
    const item = `${irregular(600)}a${"b".repeat(20)}x`;
    assert.deepEqual(codes(rules, [item]), []);
    assert.deepEqual(codes(rules, [item, item, item, item, item]), ["PATTERN"]);
  });

  test("a value that is nested too deeply is refused", () => {
    const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    assert.deepEqual(codes({ dataType: T.JSON }, nested(64)), []);
    assert.deepEqual(codes({ dataType: T.JSON }, nested(65)), ["TOO_LARGE"]);
    assert.deepEqual(codes({ dataType: T.JSON }, nested(100_000)), ["TOO_LARGE"]);
  });
});
