import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { grpcInputNames, type PlatformOperation, platformOperations, unsharedInputs } from "@appserver/contracts/operations";
import { AccessService } from "@appserver/contracts/proto/appserver/v2/access";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { DevelopmentService } from "@appserver/contracts/proto/appserver/v2/development";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import type { DescMethod } from "@bufbuild/protobuf";
import { buildSchema, type GraphQLField, getNullableType, isInputObjectType } from "graphql";

const schema = buildSchema(readSchema());
const roots = {
  query: schema.getQueryType(),
  mutation: schema.getMutationType(),
  subscription: schema.getSubscriptionType(),
} as const;
const methods: ReadonlyMap<string, DescMethod> = new Map(
  [MarketplaceService, HooksService, ActivityService, SettingsService, AccessService, DevelopmentService].flatMap((service) =>
    service.methods.map((method) => [`${service.name}.${method.name}`, method] as const),
  ),
);
const operations = Object.entries(platformOperations);

/** Returns the cells of the first table below the heading of a page of docs/interface. */
function rowsOf(page: string, heading: string): readonly (readonly string[])[] {
  const text = readFileSync(new URL(`../../docs/interface/${page}`, import.meta.url), "utf8");
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns the texts in backquotes. */
const codesOf = (cell = ""): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** Returns the permission that a cell names first. What follows it are exceptions. */
const permissionOf = (cell: string | undefined): string | undefined => codesOf(cell).find((code) => /^\w+:\w+$/.test(code));

const catalogued = ({ permission }: PlatformOperation): string | undefined =>
  typeof permission === "string" ? permission : undefined;

/** Returns the inputs by the names of the schema; an input object has its fields instead. */
const argumentsOf = ({ args }: GraphQLField<unknown, unknown>): readonly string[] =>
  args.flatMap(({ name, type }) => {
    const value = getNullableType(type);
    return isInputObjectType(value) ? Object.keys(value.getFields()) : [name];
  });

function fieldOf(name: string, type: keyof typeof roots): GraphQLField<unknown, unknown> {
  const field = roots[type]?.getFields()[name];
  assert.ok(field, `the schema has no ${type} ${name}`);
  return field;
}

describe("the catalogue of operations", () => {
  test("each operation on one app names the argument that says on which", () => {
    for (const [name, { graphql, app, rest }] of operations) {
      if (!graphql) continue;
      const names = fieldOf(name, graphql).args.map((argument) => argument.name);
      const ofPath =
        typeof rest === "object" ? Object.values(rest.path ?? {}).find((each) => typeof each === "object") : undefined;
      const expected = names.find((each) => each === "appID" || each === ofPath?.app);
      if (expected) assert.equal(app, expected, name);
      if (app) assert.ok(names.includes(app), `${name} has no argument ${app}`);
    }
    // What trusted pipelines do on no app.
    const unbound = operations.filter(([, { graphql, app }]) => graphql === "mutation" && !app).map(([name]) => name);
    assert.deepEqual(
      unbound.filter((name) => /app|permission|setting|storage|key/i.test(name)),
      [],
    );
  });

  for (const [heading, type] of [
    ["Queries", "query"],
    ["Mutations", "mutation"],
    ["Subscriptions", "subscription"],
  ] as const)
    test(`docs/interface/graphql.md#${heading.toLowerCase()} has each ${type} once, with its arguments and its permission`, () => {
      const documented = rowsOf("graphql.md", heading).flatMap(([signatures, , permission]) =>
        codesOf(signatures).map((signature) => {
          const [name = "", args = ""] = signature.split(/[()]/);
          const names = args.split(", ").flatMap((arg) => arg.split(":")[0] || []);
          return [name, names, permissionOf(permission)] as const;
        }),
      );
      const expected = operations
        .filter(([, { graphql }]) => graphql === type)
        .map(([name, operation]) => {
          const names = fieldOf(name, type).args.map((arg) => arg.name);
          return [name, names, catalogued(operation)] as const;
        });
      assert.deepEqual(documented.toSorted(), expected.toSorted());
    });

  test("docs/interface/grpc.md has each method once, with its kind and its permission", () => {
    const documented = [
      ["Marketplace", MarketplaceService],
      ["Hooks", HooksService],
      ["Activity", ActivityService],
      ["Settings", SettingsService],
      ["Access", AccessService],
      ["Development", DevelopmentService],
    ] as const;
    const rows = documented.flatMap(([heading, { name }]) =>
      rowsOf("grpc.md", heading).map(([names, kinds, , needs]) => ({ names: codesOf(names), kinds, needs, service: name })),
    );
    const found = rows.flatMap(({ names, needs, service }) =>
      names.map((name) => [`${service}.${name}`, permissionOf(needs)] as const),
    );
    const expected = operations.flatMap(([, operation]) =>
      operation.grpc ? [[operation.grpc, catalogued(operation)] as const] : [],
    );
    assert.deepEqual(found.toSorted(), expected.toSorted());
    for (const { names, kinds, service } of rows) {
      const ofMethods = names.map((name) => methods.get(`${service}.${name}`)?.methodKind.replace("_", " "));
      assert.equal(kinds?.replace("bidirectional", "bidi streaming"), [...new Set(ofMethods)].join(", "), names.join());
    }
  });

  test("an operation that GraphQL or REST lacks says why", () => {
    for (const [name, { graphql, rest, absent }] of operations)
      assert.equal(absent === undefined, graphql !== undefined && rest !== undefined, name);
  });

  test("an operation has the same inputs in GraphQL and gRPC", () => {
    const used = new Set<string>();
    for (const [name, { graphql, grpc }] of operations) {
      const method = methods.get(grpc ?? "");
      if (graphql === undefined || !method) continue;
      const unshared = unsharedInputs[name] ?? {};
      const args = argumentsOf(fieldOf(name, graphql));
      const fields = method.input.fields.map(({ localName }) => {
        const renamed = args.includes(localName) ? undefined : grpcInputNames[localName]?.find((arg) => args.includes(arg));
        if (renamed !== undefined) used.add(localName);
        return renamed ?? localName;
      });
      const shared = (inputs: readonly string[]) => inputs.filter((input) => !Object.hasOwn(unshared, input)).sort();
      assert.deepEqual(shared(fields), shared(args), name);
    }
    assert.deepEqual([...used].sort(), Object.keys(grpcInputNames).sort(), "every other name is in use");
  });
});
