import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { runConfigCommand } from "../../commands/config.ts";
import { loadDevConfig, loadOrchestratorConfig, loadServeConfig } from "../load-config.ts";
import { migrationsOfDrivers } from "./driver-catalogue.ts";

/** Three drivers of which no line of the platform knows. They return what they were opened with. */
const modules = {
  "far-cache.mjs": `import { defineDriver, endpointsOf, types } from "@appserver/driver";
    export const driver = defineDriver({
      family: "cache", version: 1, name: "far", doc: "a cache far away", isShared: true,
      options: { yaml: "far", doc: "The far cache.", options: {
        url: { env: "FAR_URL", yaml: "url", type: types.url("far"), required: true, doc: "Its address" },
        depth: { env: "FAR_DEPTH", yaml: "depth", type: types.integer(1, 9), default: "3", doc: "How deep" },
      } },
      rules: ({ depth }) => depth === 9 ? [{ option: "depth", message: "expected less than 9: too far" }] : [],
      endpoints: ({ url }) => endpointsOf([url.replace("far:", "redis:")], [7000]),
      migrations: [{ name: "far-001", sql: "create table far ()" }],
      open: async (options, context) => ({ options, context }),
    });`,
  "badges.mjs": `import { defineDriver, types } from "@appserver/driver";
    export const driver = defineDriver({
      family: "identity", version: 1, name: "badges", doc: "badges", migrations: [{ name: "badges-001", sql: "create table badges ()" }],
      options: { yaml: "badges", doc: "Badges.", options: { key: { env: "BADGES_KEY", yaml: "key", type: types.text, secret: true, doc: "A key" } } },
      open: async (options) => ({ provider: { name: "badges" }, signIn: {}, users: [], idOf: async () => options.key }),
    });`,
  "node_modules/@example/barges/package.json":
    '{ "name": "@example/barges", "type": "module", "exports": { "import": "./index.mjs" } }',
  "node_modules/@example/barges/index.mjs": `import { defineDriver, ContainerError } from "@appserver/driver";
    export const driver = defineDriver({
      family: "containers", version: 1, name: "barges", doc: "barges",
      open: async () => { throw new ContainerError("unreachable", "no barge answers"); },
    });`,
  "future.mjs": `export const driver = { family: "cache", version: 2, name: "future", open: async () => ({}) };`,
  "thief.mjs": `import { defineDriver, types } from "@appserver/driver";
    export const driver = defineDriver({
      family: "cache", version: 1, name: "thief", doc: "", isShared: true,
      options: { yaml: "cache", doc: "", options: { url: { env: "THIEF_URL", yaml: "ttl", type: types.text, doc: "" } } },
      open: async () => ({}),
    });`,
  "nothing.mjs": "export const other = 1;",
  "broken.mjs": "export const driver = ;",
};

const required = {
  APPSERVER_DB_PASSWORD: "secret",
  APPSERVER_SETTINGS_ENCRYPTION_KEY: "0123456789abcdef0123456789abcdef",
  APPSERVER_KRATOS_PUBLIC_URL: "http://kratos:4433",
  APPSERVER_OPENFGA_API_URL: "http://openfga:8080",
};

describe("drivers outside of the platform", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "appserver-drivers-"));
    mkdirSync(join(folder, "node_modules/@example/barges"), { recursive: true });
    for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
  });
  after(() => rmSync(folder, { recursive: true }));

  function withFile(text: string) {
    const config = join(folder, "appserver.yaml");
    writeFileSync(config, text);
    return { config };
  }

  async function config(...args: readonly string[]): Promise<readonly [number, string]> {
    let text = "";
    const code = await runConfigCommand([...args, "-c", join(folder, "appserver.yaml")], required, (more) => (text += more));
    return [code, text];
  }

  test("a cache by a path next to the file of options: its options, rules, servers and tables are known", async () => {
    const flags = withFile("cache: { driver: ./far-cache.mjs }\nfar: { url: far://store.internal, depth: 4 }\n");
    const serve = await loadServeConfig(flags, required);
    const { driver, options } = serve.drivers.cache;
    assert.deepEqual([driver.name, driver.isShared, options], ["far", true, { url: "far://store.internal", depth: 4 }]);
    const ofStore = serve.driverEndpoints.filter(({ host }) => host === "store.internal");
    assert.deepEqual(
      ofStore.map(({ port }) => port),
      [6379, 7000],
    );
    assert.ok(migrationsOfDrivers(serve.drivers).some(({ name }) => name === "far-001"));
    const [printed, options_] = [await config("print"), await config("options")];
    assert.match(printed[1], /driver +\.\/far-cache\.mjs/);
    assert.match(printed[1], /^far\n {2}url +far:\/\/store\.internal/m);
    assert.match(options_[1], /^## far\n\nWith `cache\.driver: far`: The far cache\. Read by `serve`, `up`\./m);
    assert.match(options_[1], /`APPSERVER_CACHE_DRIVER`.*`\.\/far-cache\.mjs`: a cache far away/);
    assert.equal((await config("check"))[0], 0);
    withFile("cache: { driver: ./far-cache.mjs }\nfar: { depht: 12, depth: 9 }\n");
    const [code, problems] = await config("check");
    assert.equal(code, 1);
    assert.match(problems, /far\.depht: unknown option; did you mean depth\?/);
    assert.match(problems, /FAR_URL .*missing; required if cache\.driver is \.\/far-cache\.mjs/);
    assert.match(problems, /far\.depth="9": expected less than 9: too far/);
  });

  test("an identity driver by its URL, in every process that has identities; its secret is not shown", async () => {
    const choice = pathToFileURL(join(folder, "badges.mjs")).href;
    const flags = withFile(`identity: { driver: "${choice}" }\nbadges: { key: canary }\n`);
    const dev = await loadDevConfig(flags, {});
    const { idOf } = await dev.drivers.identity.driver.open(dev.drivers.identity.options, undefined as never);
    assert.equal(await idOf("ada@example.com"), "canary");
    assert.deepEqual(
      migrationsOfDrivers(dev.drivers).map(({ name }) => name),
      ["badges-001"],
    );
    const [, printed] = await config("print", "dev");
    assert.match(printed, /^badges\n {2}key +\*\*\*/m);
    assert.doesNotMatch(printed, /canary/);
  });

  test("a process without the family takes the same file, and does without a module that it does not have", async () => {
    const identity = (choice: string) => `identity: { driver: ${choice} }\n`;
    await loadOrchestratorConfig(withFile(`${identity("./badges.mjs")}badges: { key: canary }\n`), {});
    const { drivers } = await loadOrchestratorConfig(withFile(identity("./elsewhere.mjs")), {});
    assert.deepEqual(Object.keys(drivers), ["broker", "containers"]);
    await assert.rejects(loadDevConfig(withFile(identity("./elsewhere.mjs")), {}), /could not load the module/);
  });

  test("a container driver by the name of its package; its errors are those of the platform", async () => {
    const { drivers } = await loadOrchestratorConfig(withFile('containers: { driver: "@example/barges" }\n'), {});
    const { driver, options } = drivers.containers;
    await assert.rejects(driver.open(options, { pullPolicy: "always" }), { name: "ContainerError", reason: "unreachable" });
    const byScheme = await loadOrchestratorConfig(withFile("containers: { driver: npm:@example/barges }\n"), {});
    assert.equal(byScheme.drivers.containers.driver, driver);
  });

  test("what is no driver of the family is refused with the reason", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["./badges.mjs", /cache\.driver=\.\/badges\.mjs: .* it is a driver of the family identity$/],
      ["./future.mjs", /it is written for version 2 of the family; this platform has version 1$/],
      ["./thief.mjs", /its option cache\.ttl is already an option of the platform$/],
      ["./nothing.mjs", /it has no export named driver that defineDriver made$/],
      ["./broken.mjs", /could not load the module from .*: /],
      ["./missing.mjs", /could not load the module from .*: .*missing\.mjs/],
      ["npm:no-such-driver", /could not load the module from .*: .*no-such-driver/],
    ];
    for (const [choice, expected] of cases)
      await assert.rejects(loadServeConfig(withFile(`cache: { driver: "${choice}" }\n`), required), (error: Error) => {
        assert.equal(error.name, "ConfigError");
        assert.match(error.message, expected);
        return true;
      });
    await assert.rejects(
      loadServeConfig(withFile("cache: { driver: radis }\n"), required),
      /cache\.driver="radis": expected memory, postgres or redis, or the module of a driver: \.\/driver\.mjs, npm:package/,
    );
  });
});
