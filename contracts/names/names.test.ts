import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isPermission } from "../authorization/permissions.ts";
import { isAppName, isPlatformHook, isReservedAppName } from "./app-name.ts";
import { appsOfContainer, containerName } from "./container-name.ts";
import { isHookName } from "./hook-name.ts";
import { isSettingsKeyId } from "./settings-key-id.ts";
import { isStorageName, storageSizePattern, storageVariable } from "./storage-name.ts";

describe("names", () => {
  for (const [text, app, hook] of [
    ["a", true, true],
    ["com.example.notes", true, true],
    ["com.example-2.my_notes", true, true],
    ["a".repeat(63), true, true],
    ["a".repeat(64), false, true],
    [`${"a".repeat(63)}.${"b".repeat(63)}`, false, true],
    [`${"a".repeat(64)}.${"b".repeat(63)}`, false, false],
    ...["", "A", "a..b", ".a", "a.", "-a", "a--b", "a._b", "a b", "a/b", "a\n"].map((text) => [text, false, false] as const),
  ] as const) {
    test(JSON.stringify(text).slice(0, 30), () => assert.deepEqual([isAppName(text), isHookName(text)], [app, hook]));
  }

  test("ids of settings keys", () => {
    const ids = ["k1", "A_b-2", "a".repeat(32), "", "a".repeat(33), "a:b", "a\n", "ä"];
    assert.deepEqual(ids.filter(isSettingsKeyId), ["k1", "A_b-2", "a".repeat(32)]);
  });

  test("names, sizes and variables of storages", () => {
    const names = ["a", "data-2", "a".repeat(40), "a".repeat(41), "", "2a", "-a", "a-", "A", "a_b", "a.b", "a\n"];
    assert.deepEqual(names.filter(isStorageName), ["a", "data-2", "a".repeat(40)]);
    const sizes = ["1Mi", "100Gi", "9999Ti", "10000Ti", "0Gi", "01Gi", "1", "1G", "1.5Gi", "-1Gi", "1 Gi", "1Gi\n"];
    assert.deepEqual(
      sizes.filter((size) => storageSizePattern.test(size)),
      ["1Mi", "100Gi", "9999Ti"],
    );
    assert.equal(storageVariable("data-2"), "APP_STORAGE_DATA_2");
  });

  test("the namespace app belongs to the platform", () => {
    assert.deepEqual(["app", "app.x", "apps", "apps.x"].map(isReservedAppName), [true, true, false, false]);
    assert.deepEqual(["app.on_create", "apps.created", "app"].map(isPlatformHook), [true, false, false]);
  });

  test("an app name is valid as resource and action of a permission", () => {
    const text = fc
      .array(fc.constantFrom("a", "0", ".", "_", "-", "A", ":", " "), { maxLength: 8 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (name) => {
        if (!name.includes(":")) assert.equal(isPermission(`${name}:${name}`), isAppName(name));
      }),
      { numRuns: 2_000 },
    );
  });

  test("the app of a container", () => {
    assert.equal(containerName("com.example.notes"), "app-com.example.notes");
    assert.deepEqual(appsOfContainer(containerName("com.example.notes")), ["com.example.notes"]);
    assert.equal(containerName("com.example.notes", 12), "app-com.example.notes-g12");
    assert.deepEqual(appsOfContainer("app-com.example.notes-g12"), ["com.example.notes-g12", "com.example.notes"]);
    assert.deepEqual(appsOfContainer("redis"), []);
  });
});
