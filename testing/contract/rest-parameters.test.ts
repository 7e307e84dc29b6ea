import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type HttpAnswer, type PlatformUnderTest, send, startPlatform, uniqueName } from "@appserver/testing/kit";
import fc from "fast-check";
import { type RestRoute, readRoutes, type ValueSchema } from "./rest-routes.ts";

describe("the parameters of the OpenAPI document", () => {
  let platform: PlatformUnderTest;
  let routes: ReadonlyMap<string, RestRoute>;
  before(async () => {
    platform = await startPlatform();
    routes = await readRoutes(platform);
  });
  after(() => platform?.stop());

  const request = async (route: RestRoute, names: readonly string[]): Promise<HttpAnswer> => {
    const hasBody = route.body !== undefined;
    const inputs = inputsOf(route);
    const given = names.map((name) => [name, sampleOf(inputs.get(name) ?? {}, name)] as const);
    const inQuery = given.filter(([name]) => !Object.hasOwn(route.body?.properties ?? {}, name));
    const query = new URLSearchParams(
      inQuery.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)])),
    );
    const inBody = given.filter(([name]) => Object.hasOwn(route.body?.properties ?? {}, name));
    return await send(platform.httpUrl, `${pathOf(route)}?${query}`, {
      method: route.method,
      headers: { ...platform.administrator, ...(hasBody ? { "content-type": "application/json" } : {}) },
      ...(hasBody ? { body: JSON.stringify(Object.fromEntries(inBody)) } : {}),
    });
  };

  test("are accepted, each alone with those that are required, and all together", async () => {
    const refused: string[] = [];
    let sent = 0;
    for (const [operation, route] of routes) {
      const all = [...inputsOf(route).keys()];
      const required = requiredOf(route);
      const alone = all.filter((name) => !required.includes(name)).map((name) => [...required, name]);
      for (const names of [required, ...alone, all]) {
        const answer = await request(route, names);
        sent += 1;
        assert.ok(answer.status < 500, `${operation} ${names.join()}: ${answer.text}`);
        if (answer.status === 400 && !isAllowed(operation, names)) refused.push(`${operation} ${names.join()}: ${answer.text}`);
      }
    }
    assert.deepEqual(refused, []);
    assert.ok(sent > 150, `${sent}`);
  });
});

/**
 * Whether the request may be refused for what a schema cannot say: it begins after a cursor that no list returned, or the kind of a
 * notification target requires other arguments.
 */
function isAllowed(operation: string, names: readonly string[]): boolean {
  return names.includes("after") || operation === "createNotificationTarget";
}

function inputsOf({ parameters, body }: RestRoute): ReadonlyMap<string, ValueSchema> {
  const ofQuery = parameters.filter((each) => each.in === "query").map(({ name, schema }) => [name, schema] as const);
  return new Map([...ofQuery, ...Object.entries(body?.properties ?? {})]);
}

function requiredOf({ parameters, body }: RestRoute): readonly string[] {
  const ofQuery = parameters.filter((each) => each.in === "query" && each.required === true).map(({ name }) => name);
  return [...ofQuery, ...(body?.required ?? [])];
}

/** Nothing has these names, so that commands change nothing. */
function pathOf({ path, parameters }: RestRoute): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find((each) => each.in === "path" && each.name === name)?.schema ?? {};
    return encodeURIComponent(String(sampleOf(schema, name)));
  });
}

const unused = uniqueName("unused");
/** What every free text must match. */
const storableText = "^[^\\u0000]*$";

/** Returns a value that the schema allows. */
function sampleOf(schema: ValueSchema, name: string): unknown {
  const { type, enum: values, pattern, format, anyOf, items, minimum = 1, properties, required = [], examples } = schema;
  if (examples) return examples[0];
  if (name === "since") return "2026-01-01T00:00:00.000Z";
  if (name === "expiresAt") return new Date(Date.now() + 3_600_000).toISOString();
  if (anyOf?.[0]) return sampleOf(anyOf[0], name);
  if (values) return values[0];
  if (type === "array") return [sampleOf(items ?? {}, name)];
  if (type === "object") return Object.fromEntries(required.map((each) => [each, sampleOf(properties?.[each] ?? {}, each)]));
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return minimum;
  if (format === "uuid") return crypto.randomUUID();
  if (format === "date-time") return new Date().toISOString();
  if (pattern === storableText) return unused;
  if (pattern !== undefined) return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 1, seed: 1 })[0];
  return type === "string" ? unused : {};
}
