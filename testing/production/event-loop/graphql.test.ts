import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EventLoopGuard, type PlatformUnderTest, RunningPlatform } from "@appserver/testing/kit";

const health = "{ health { status } }";
const fields = (count: number): string => Array.from({ length: count }, (_, index) => `f${index}: name`).join(" ");
let documents = 0;

/** Documents and variables as large and as irregular as a request may contain. */
const inputs: Readonly<Record<string, () => readonly string[]>> = {
  "a document of 1 MB": () => [JSON.stringify({ query: `{ ${"health { status } ".repeat(57_000)} }` })],
  "a document of 1 MB in one string": () => [JSON.stringify({ query: `{ app(name: "${"x".repeat(1_000_000)}") { name } }` })],
  "a document of 1 MB of comments": () => [JSON.stringify({ query: `${"#\n".repeat(340_000)}${health}` })],
  "literals nested 4,000 deep": () => [
    JSON.stringify({ query: `{ app(name: ${"[".repeat(4_000)}${"]".repeat(4_000)}) { name } }` }),
  ],
  "500,000 open brackets": () => [JSON.stringify({ query: `{ app(name: ${"{a:".repeat(330_000)}` })],
  "10,000 aliases": () => [JSON.stringify({ query: `{ ${fields(10_000)} }` })],
  "fragments that double 60 times": () => [
    JSON.stringify({
      query: `{ ...F0 } ${Array.from({ length: 60 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(" ")} fragment F60 on Query ${health}`,
    }),
  ],
  "variables of 500,000 numbers": () => [
    JSON.stringify({ query: health, variables: { list: Array.from({ length: 500_000 }, () => 1) } }),
  ],
  "variables of 330,000 lists": () => [`{"query":${JSON.stringify(health)},"variables":{"list":[${"[],".repeat(330_000)}[]]}}`],
  "variables nested 400,000 deep": () => [
    `{"query":${JSON.stringify(health)},"variables":{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}}`,
  ],
  // Each is new and runs often enough to be compiled.
  "twenty operations of 100 aliases, six times each": () =>
    Array.from({ length: 20 }, () => {
      documents += 1;
      const query = `query Q${documents} { apps(first: 1) { edges { node { ${fields(100)} } } } }`;
      return Array.from({ length: 6 }, () => JSON.stringify({ query }));
    }).flat(),
};

describe("the event loop while GraphQL is refused or run", () => {
  let platform: PlatformUnderTest;
  let guard: EventLoopGuard;
  before(async () => {
    guard = await EventLoopGuard.create();
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: guard.environment });
  });
  after(() => platform.stop());

  for (const [what, bodies] of Object.entries(inputs)) {
    test(what, () =>
      guard.assertUnharmed(async () => {
        for (const body of bodies()) {
          const headers = { "content-type": "application/json", ...platform.administrator };
          const response = await fetch(`${platform.httpUrl}/graphql`, { method: "POST", headers, body });
          const text = await response.text();
          assert.ok(response.status < 500 && !text.includes("INTERNAL_ERROR"), text.slice(0, 300));
        }
      }),
    );
  }
});
