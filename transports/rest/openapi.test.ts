import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { buildSchema } from "graphql";
import { limitedArguments } from "./argument-limits.ts";
import { endpoints } from "./endpoint.ts";
import { rootField } from "./field-operation.ts";
import { schemaRoutes } from "./schema-routes.ts";

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, object>> }>>;
}

const schema = buildSchema(readSchema());
const routes = schemaRoutes({
  schema,
  others: [],
  nameOf: async () => undefined,
  idOf: async () => undefined,
  version: "0",
  cookieName: "session",
});
const document = (await routes.find(({ url }) => url === "/api/v2/openapi.json")?.handle({} as never))?.json as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

function operation(method: string, path: string): Operation {
  const found = document.paths[`/api/v2${path}`]?.[method];
  assert.ok(found, path);
  return found;
}

function parameter(method: string, path: string, name: string): object | undefined {
  return operation(method, path).parameters.find((each) => each.name === name)?.schema;
}

describe("the OpenAPI document", () => {
  test("says what a parameter may be beyond its type", () => {
    const integer = { type: "integer", minimum: 1 };
    assert.deepEqual(parameter("get", "/apps", "first"), { ...integer, maximum: 250 });
    assert.deepEqual(parameter("get", "/access/people", "first"), { ...integer, maximum: 50 });
    assert.deepEqual(parameter("get", "/metrics", "minutes"), { ...integer, default: 60, maximum: 1_440 });
    assert.deepEqual(parameter("get", "/access/permissions/{permission}/holders", "appName"), {
      type: "string",
      maxLength: 63,
      pattern: "^[a-z0-9]+([._-][a-z0-9]+)*$",
    });
    const { schema: body } = operation("post", "/apps/{id}/activities/{activity}/runs").requestBody.content[
      "application/json"
    ] as { readonly schema: object };
    const key = { anyOf: [{ type: "string", minLength: 1, maxLength: 255 }, { type: "null" }] };
    assert.partialDeepStrictEqual(body, { properties: { idempotencyKey: key } });
  });

  test("says what use cases refuse, also of parameters in the path, and that no text has a NUL", () => {
    const subject = parameter("get", "/access/subjects/{subject}/permissions", "subject") as { readonly pattern: string };
    const allowed = ["user:alice", "role:easy#assignee", "alice", "role:easy"].map((text) =>
      new RegExp(subject.pattern).test(text),
    );
    assert.deepEqual(allowed, [true, true, false, false]);
    assert.deepEqual(parameter("get", "/audit-log", "outcome"), { type: "string", enum: ["success", "denied", "failure"] });
    const storable = { type: "string", pattern: "^[^\\u0000]*$" };
    assert.deepEqual(parameter("get", "/apps/{id}", "id"), storable);
    assert.deepEqual(parameter("get", "/apps", "names"), { type: "array", items: storable });
  });

  test("says what an Idempotency-Key may be", () => {
    assert.deepEqual(parameter("delete", "/apps/{id}", "Idempotency-Key"), {
      type: "string",
      pattern: "^[\\x21-\\x7e]{1,255}$",
    });
  });

  test("says what an event of a stream is", () => {
    const data = { contentMediaType: "application/json", contentSchema: { $ref: "#/components/schemas/SystemEvent" } };
    assert.partialDeepStrictEqual(operation("get", "/events").responses["200"], {
      content: { "text/event-stream": { schema: { required: ["id", "data"], properties: { data } } } },
    });
  });

  test("names the headers of responses", () => {
    const { responses } = operation("get", "/apps");
    assert.deepEqual(Object.keys(responses["200"]?.headers ?? {}), ["X-Request-ID", "ETag", "Link"]);
    assert.deepEqual(Object.keys(responses["304"]?.headers ?? {}), ["X-Request-ID", "ETag"]);
    assert.deepEqual(Object.keys(operation("get", "/apps/{id}").responses["200"]?.headers ?? {}), ["X-Request-ID", "ETag"]);
    assert.deepEqual(Object.keys(operation("post", "/apps/{id}/install").responses["202"]?.headers ?? {}), [
      "X-Request-ID",
      "Idempotency-Replayed",
    ]);
  });

  test("each limit is that of an argument of an endpoint", () => {
    const known = endpoints.flatMap(({ type, field }) =>
      rootField(schema, type, field).args.flatMap(({ name }) => [name, `${field}.${name}`]),
    );
    assert.deepEqual(
      limitedArguments.filter((each) => !known.includes(each)),
      [],
    );
  });
});
