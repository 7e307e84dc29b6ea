import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { platformOperations } from "@appserver/contracts/operations";
import { buildSchema, type OperationDefinitionNode, parse, validate } from "graphql";

const web = resolve(import.meta.dirname, "../web");
const read = (path: string): string => readFileSync(join(web, path), "utf8");
const documents = globSync("**/*.graphql", { cwd: web }).map(read).join("\n");

/** Each request of the console by its file: the expression of its address, and the page that documents the address. */
const requests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "api/client.ts": { '"/graphql"': "docs/interface/graphql.md" },
  "api/use-outage.ts": { '"/ready"': "docs/interface/operations.md#readiness" },
  "shell/account-query.ts": { "`/console/account?": "docs/interface/console.md#paths" },
  "api/sign-out.ts": { '"/console/sign-out"': "docs/interface/console.md#paths" },
  // Only `/self-service/**`: the test below looks at its callers.
  "features/login/self-service.ts": { path: "docs/interface/console.md#self-service" },
  // `urlBelow` refuses every path that is not below the API of the app.
  "features/hosting/api-request.ts": { url: "docs/interface/proxy.md" },
  // Scripts of a release, as `frontendPage` lists them.
  "features/hosting/check-scripts.ts": { url: "docs/interface/assets.md" },
  // The entry asset of the release.
  "features/hosting/remote-entry.ts": { entryUrl: "docs/interface/assets.md" },
};
/** What opens a connection, besides `fetch`. */
const clients: Readonly<Record<string, readonly string[]>> = {
  "api/client.ts": ["createClient"],
  // For the addresses of `api-request.ts` only, which refuses those that are not below the API of the app.
  "features/hosting/upload.ts": ["new XMLHttpRequest"],
};
const elsewhere =
  /\b(?:new (?:WebSocket|EventSource|XMLHttpRequest|Worker|SharedWorker|Client)|createClient|sendBeacon|importScripts|serviceWorker)\b(?=\s*\(|\.)/g;

const sources = globSync("**/*.{ts,tsx}", { cwd: web }).filter((path) => !path.startsWith("generated/"));

describe("what the console requests", () => {
  test("every operation is valid in the public schema, and each root field is an operation of the platform", () => {
    const schema = buildSchema(readSchema());
    const document = parse(documents);
    assert.deepEqual(validate(schema, document).map(String), []);
    const operations = document.definitions.filter(
      (each): each is OperationDefinitionNode => each.kind === "OperationDefinition",
    );
    assert.ok(operations.length > 30, `${operations.length} operations`);
    for (const { operation, name, selectionSet } of operations) {
      const fields = Object.keys(schema.getRootType(operation)?.getFields() ?? {});
      for (const selection of selectionSet.selections) {
        assert.equal(selection.kind, "Field", `${name?.value}: only fields at the root`);
        if (selection.kind !== "Field") continue;
        const field = selection.name.value;
        assert.ok(fields.includes(field), `${name?.value}: ${field} is not in the schema`);
        assert.equal(platformOperations[field]?.graphql, operation, `${field} is not an operation of the platform`);
      }
    }
  });

  test("every request has an address that is documented for all clients", () => {
    for (const path of sources) {
      for (const [, address = ""] of read(path).matchAll(/\bfetch\(\s*([^,)\s]+)/g)) {
        const known = Object.keys(requests[path] ?? {});
        assert.ok(
          known.some((each) => address.startsWith(each)),
          `${path} requests ${address}: use send() of api/client.ts, or list the address with the page that documents it`,
        );
      }
    }
  });

  test("nothing else opens a connection", () => {
    for (const path of sources) {
      const found = [...read(path).matchAll(elsewhere)].map(([text]) => text);
      assert.deepEqual(
        found.filter((text) => !clients[path]?.includes(text)),
        [],
        path,
      );
    }
    assert.match(read("api/client.ts"), /\$\{location\.host\}\/graphql`/);
  });

  test("the pages of the identity provider request nothing but self-service", () => {
    const text = read("features/login/self-service.ts");
    const addresses = [...text.matchAll(/\brequest\(\s*([^,)\s]+)/g)].map(([, address = ""]) => address);
    assert.ok(addresses.length > 3);
    for (const address of addresses.filter((each) => !each.startsWith("path")))
      assert.match(address, /^`(?:\/self-service\/|\$\{path\})/);
    for (const [, value] of text.matchAll(/const path = (.+);/g)) assert.match(value ?? "", /^`\/self-service\//);
  });

  test("the list of requests has no entry that is not used", () => {
    for (const [path, addresses] of Object.entries(requests)) {
      assert.ok(sources.includes(path), path);
      for (const address of Object.keys(addresses)) assert.ok(read(path).includes(`fetch(${address}`), `${path}: ${address}`);
    }
  });
});
