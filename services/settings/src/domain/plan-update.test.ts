import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type SettingDefinition, SettingDataType as T } from "@appserver/contracts/proto/appserver/v2/settings";
import fc from "fast-check";
import { definition } from "../../test/definitions.ts";
import { planUpdate } from "./plan-update.ts";
import { effectiveSettings, secretMask } from "./settings-view.ts";
import type { DecodedValue } from "./stored-settings.ts";

const at = new Date(0);
const stored = (values: Readonly<Record<string, unknown>>, sealed = false): readonly DecodedValue[] =>
  Object.entries(values).map(([key, value]) => ({ key, value, sealed, updatedAt: at }));

/** Returns the stored values after a patch, applied like the store applies a plan. */
function apply(definitions: readonly SettingDefinition[], before: Readonly<Record<string, unknown>>, patch: unknown) {
  const { violations, update } = planUpdate(definitions, stored(before), patch);
  const after: Record<string, unknown> = { ...before };
  for (const key of update.removes) delete after[key];
  for (const { definition: of, value } of update.sets) after[of.key] = value;
  return { violations, after, changes: update.sets.length + update.removes.length };
}

const keys = ["a", "b", "c", "d"];
const definitions = keys.map((key) => definition(key, T.JSON));
const value = fc.jsonValue().filter((json) => json !== null);
const values = fc.dictionary(fc.constantFrom(...keys), value);
const patches = fc.dictionary(fc.constantFrom(...keys), fc.option(value, { nil: null }));
const isSame = (left: unknown, right: unknown): void => assert.deepEqual(left, right);

describe("merging", () => {
  test("sets keys with a value, removes keys with null, and changes no other keys", () => {
    fc.assert(
      fc.property(values, patches, (before, patch) => {
        const { violations, after } = apply(definitions, before, patch);
        assert.deepEqual(violations, []);
        for (const key of keys) {
          if (!(key in patch)) isSame(after[key], before[key]);
          else if (patch[key] === null) assert.ok(!(key in after));
          else isSame(after[key], patch[key]);
        }
      }),
    );
  });

  test("the same patch a second time changes nothing", () => {
    fc.assert(
      fc.property(values, patches, (before, patch) => {
        assert.equal(apply(definitions, apply(definitions, before, patch).after, patch).changes, 0);
      }),
    );
  });

  test("patches of different keys have the same result in either order", () => {
    fc.assert(
      fc.property(values, patches, patches, (before, one, two) => {
        const other = Object.fromEntries(Object.entries(two).filter(([key]) => !(key in one)));
        const forth = apply(definitions, apply(definitions, before, one).after, other).after;
        isSame(forth, apply(definitions, apply(definitions, before, other).after, one).after);
      }),
    );
  });

  test("the effective value is the stored one, else the default, also for unusual keys", () => {
    const odd = ["constructor", "toString", "hasOwnProperty"].map((key) => definition(key, T.INT, { defaultValue: "1" }));
    const { settings } = effectiveSettings(odd, stored({ toString: 2 }), true);
    assert.deepEqual(
      settings.map(({ value: holds, source }) => [holds, source]),
      [
        [1, "DEFAULT"],
        [2, "STORED"],
        [1, "DEFAULT"],
      ],
    );
    assert.equal(planUpdate([], [], JSON.parse('{"__proto__": 1}')).violations[0]?.code, "UNKNOWN_KEY");
  });
});

describe("checking an update", () => {
  const schema = [
    definition("size", T.INT, { validation: { min: 1, max: 10 } }),
    definition("name", T.STRING_REQUIRED, { required: true }),
    definition("mode", T.STRING_REQUIRED, { required: true, defaultValue: '"fast"' }),
    definition("token", T.STRING, { sensitive: true, validation: { minLength: 9 } }),
  ];
  const codes = (patch: unknown, before: readonly DecodedValue[] = []) =>
    planUpdate(schema, before, patch).violations.map(({ field, code }) => [field, code]);

  test("reports every violation", () => {
    assert.deepEqual(codes({ size: 11, name: 7, nothing: 1, token: "short", mode: "slow" }), [
      ["size", "MAX"],
      ["name", "TYPE"],
      ["nothing", "UNKNOWN_KEY"],
      ["token", "MIN_LENGTH"],
    ]);
    for (const patch of [null, 1, "x", ["a"]]) assert.deepEqual(codes(patch), [["settings", "NOT_AN_OBJECT"]]);
  });

  test("null restores the default; a required setting without a default is kept", () => {
    assert.deepEqual(codes({ mode: null, size: null }), []);
    assert.deepEqual(codes({ name: null }), [["name", "REQUIRED"]]);
  });

  test("a value that an earlier schema left can be removed but not set", () => {
    const before = stored({ old: 1 });
    assert.deepEqual(codes({ old: null }, before), []);
    assert.deepEqual(planUpdate(schema, before, { old: null }).update.removes, ["old"]);
    assert.deepEqual(codes({ old: 2 }, before), [["old", "UNKNOWN_KEY"]]);
    assert.deepEqual(codes({ older: null }, before), [["older", "UNKNOWN_KEY"]]);
  });

  test("sending the mask back keeps a secret, and sets none", () => {
    const { violations, update } = planUpdate(schema, stored({ token: "a real secret" }, true), { token: secretMask });
    assert.deepEqual([violations, update], [[], { sets: [], removes: [] }]);
    assert.deepEqual(codes({ token: secretMask }), [["token", "MASK"]]);
    assert.deepEqual(codes({ name: secretMask }), []);
  });

  test("a value that cannot be decrypted can be set again, even to its old value", () => {
    const before: DecodedValue = { key: "token", sealed: true, updatedAt: at, unreadable: "lost" };
    assert.equal(planUpdate(schema, [before], { token: "a real secret" }).update.sets.length, 1);
  });
});

describe("effective values under a changed schema", () => {
  const text = definition("a", T.STRING, { defaultValue: '"default"' });

  test("values that still fit are kept; the others are reported, hidden and kept", () => {
    const schema = [text, definition("n", T.INT, { defaultValue: "5", validation: { max: 10 } })];
    const { settings, conditions } = effectiveSettings(schema, stored({ a: "mine", n: 11, gone: true }), true);
    assert.deepEqual(
      settings.map(({ value: holds, isSet }) => [holds, isSet]),
      [
        ["mine", true],
        [5, false],
      ],
    );
    assert.deepEqual(
      conditions.map(({ type, reason, message }) => [type, reason, message]),
      [["SettingsValid", "InvalidValues", "gone is not a setting of the app any more; n must be at most 10"]],
    );
  });

  test("a setting that is now required and has no value is reported", () => {
    const { conditions } = effectiveSettings([definition("r", T.INT_REQUIRED, { required: true })], [], true);
    assert.deepEqual(
      conditions.map(({ type, message }) => [type, message]),
      [["SettingsComplete", "r is required"]],
    );
  });

  test("a value that was stored as a secret stays a secret", () => {
    const { settings } = effectiveSettings([text], stored({ a: "hidden" }, true), false);
    assert.deepEqual([settings[0]?.value, settings[0]?.sensitive], [secretMask, true]);
  });

  test("secrets and their defaults are masked, and a secret without a value has no mask", () => {
    const schema = ["set", "default", "unset"].map((key) =>
      definition(key, T.STRING, { sensitive: true, ...(key === "default" ? { defaultValue: '"d"' } : {}) }),
    );
    const masked = effectiveSettings(schema, stored({ set: "s" }, true), false).settings.map(({ value: shown }) => shown);
    assert.deepEqual(masked, [secretMask, secretMask, undefined]);
    const plain = effectiveSettings(schema, stored({ set: "s" }, true), true).settings.map(({ value: shown }) => shown);
    assert.deepEqual(plain, ["s", "d", undefined]);
  });
});
