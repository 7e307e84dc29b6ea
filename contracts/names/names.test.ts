import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isPermission } from "../authorization/permissions.ts";
import { isAppName, isPlatformHook, isReservedAppName } from "./app-name.ts";
import { appsOfContainer, containerName } from "./container-name.ts";
import { isContainerUser, isRootUser, userWithGroup } from "./container-user.ts";
import { isEnvironmentName, isReservedEnvironmentName } from "./environment-name.ts";
import { isHookName } from "./hook-name.ts";
import { isSettingsKeyId } from "./settings-key-id.ts";
import { isStorageName, storageBytes, storageSizePattern, storageVariable } from "./storage-name.ts";

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
    assert.deepEqual(["1Mi", "100Gi", "9999Ti"].map(storageBytes), [2 ** 20, 100 * 2 ** 30, 9_999 * 2 ** 40]);
    assert.equal(storageVariable("data-2"), "APP_STORAGE_DATA_2");
  });

  test("users of containers", () => {
    const users = ["0", "1000", "1000:0", "2147483647:2147483647", "root", "app", "www-data", "_apt"];
    const others = [
      "",
      "01",
      "-1",
      "1000:",
      ":1",
      "1000:app",
      "app:app",
      "2147483648",
      "1:2147483648",
      "App",
      "a b",
      "a\n",
      "a".repeat(33),
    ];
    assert.deepEqual([...users, ...others].filter(isContainerUser), users);
    assert.deepEqual([...users, "0:0", "0:1000"].filter(isRootUser), ["0", "1000:0", "root", "0:0", "0:1000"]);
    assert.deepEqual(["1000", "0", "1000:0", "app", "root"].map(userWithGroup), ["1000:1000", "0:0", "1000:0", "app", "root"]);
  });

  test("names of environment variables", () => {
    const names = ["LOG_LEVEL", "_A1", "A".repeat(128), "", "1A", "log_level", "A-B", "A=B", "A\n", "A".repeat(129), "Ä"];
    assert.deepEqual(names.filter(isEnvironmentName), ["LOG_LEVEL", "_A1", "A".repeat(128)]);
  });

  test("an app cannot declare the platform's variables, nor those that decide which program runs", () => {
    const reserved = [
      "APP_ID",
      "APPSERVER_X",
      "APP_STORAGE_DATA",
      "DB_HOST",
      "DATABASE_URL",
      "PGHOST",
      "OTEL_SERVICE_NAME",
      "UPSTREAM_A",
      "PORT",
      "HOST",
      "NODE_ENV",
      "NODE_OPTIONS",
      "PATH",
      "LD_PRELOAD",
    ];
    const free = ["APP_MODE", "PGSSLROOTCERT", "OTEL_EXPORTER_OTLP_HEADERS", "PORTS", "TZ", "LDAP_URL", "ENVIRONMENT"];
    assert.deepEqual([...reserved, ...free].filter(isReservedEnvironmentName), reserved);
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
