import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readJsonSchema, schemaNames } from "@appserver/contracts/schemas";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const validators = Object.fromEntries(
  schemaNames.map((name) => [name, new Ajv2020({ strict: true, allErrors: true }).compile(JSON.parse(readJsonSchema(name)))]),
);

/** What templates have in place of names. */
const placeholders: Readonly<Record<string, string>> = { NAME: "com.example.trial", ELEMENT: "com-example-trial", SCHEMA: "#" };

function problemsOf(name: string, value: unknown): readonly string[] {
  validators[name]?.(value);
  return (validators[name]?.errors ?? []).map(({ instancePath, keyword }: ErrorObject) => `${instancePath} ${keyword}`);
}

test("the schema of app.yaml accepts every example and template", () => {
  const files = globSync(["examples/*/app.yaml", "apps/cli/templates/*/app.yaml", "testing/production/**/app.yaml"], {
    cwd: root,
  });
  assert.ok(files.length >= 10, files.join());
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8").replace(
      /__([A-Z]+)__/g,
      (_, key: string) => placeholders[key] ?? "trial",
    );
    assert.deepEqual(problemsOf("app", parse(text)), [], file);
  }
});

test("the schema of app.yaml finds wrong fields, types and values", () => {
  const app = (more: object, api: object = {}) => ({
    name: "com.example.a",
    version: "1.0.0",
    web_app: { api: { base_path: "/", upstream_base_url: "http://a", ...api } },
    ...more,
  });
  assert.deepEqual(problemsOf("app", app({})), []);
  for (const [value, problem] of [
    [{}, " required"],
    [app({ displayname: "A" }), " additionalProperties"],
    [app({ certificate: "x" }), " additionalProperties"],
    [app({ version: 1.5 }), "/version type"],
    [app({ web_app: { ui: { mode: "FRAME" } } }), "/web_app/ui/mode enum"],
    [app({ web_app: { assets: { files: "web" } } }), "/web_app/assets anyOf"],
    [app({ environment: { A: 1 } }), "/environment/A type"],
    [app({}, { routes: [{ pattern: "/", method: "GET" }] }), "/web_app/api/routes/0 additionalProperties"],
  ] as const)
    assert.ok(problemsOf("app", value).includes(problem), `${problem}: ${problemsOf("app", value).join()}`);
});

test("the schema of platform.yaml finds wrong fields, types and values", () => {
  const entry = { name: "com.example.a", version: "1.0.0", manifest: "0".repeat(64), state: "INSTALLED" };
  const grant = { subject: "user:alice", app: "com.example.a", level: "viewer" };
  assert.deepEqual(problemsOf("platform", { apps: [{ ...entry, settings: { a: [1, { b: null }] } }], grants: [grant] }), []);
  for (const [value, problem] of [
    [{ app: [] }, " additionalProperties"],
    [{ apps: [{ ...entry, state: "RUNNING" }] }, "/apps/0/state enum"],
    [{ apps: [{ ...entry, manifest: "12" }] }, "/apps/0/manifest pattern"],
    [{ apps: [{ ...entry, secrets: { token: "a secret" } }] }, "/apps/0/secrets/token pattern"],
    [{ grants: [{ role: "easy" }] }, "/grants/0 required"],
  ] as const)
    assert.ok(problemsOf("platform", value).includes(problem), `${problem}: ${problemsOf("platform", value).join()}`);
});
