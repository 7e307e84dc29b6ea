import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AppRoute } from "../manifest/app-api.ts";
import type { DescribedMethod, DescribedOperation } from "./api-description.ts";
import { describedRoutes } from "./described-routes.ts";

function route(pattern: string, methods: readonly string[] = ["ANY"], scopes: readonly string[] = []): AppRoute {
  return { id: `app#${pattern}`, pattern, methods, scopes, timeoutMs: 1, rateLimit: undefined, isPublic: false };
}

function operation(path: string, method: DescribedMethod = "GET"): DescribedOperation {
  return { method, path, parameters: [] };
}

/** Returns the pattern of the route that gets an operation. */
function routeOf(routes: readonly AppRoute[], described: DescribedOperation): string | undefined {
  const found = describedRoutes({ routes, everything: route("/**", ["*"]) }, { operations: [described] });
  return found.find(({ operations }) => operations.includes(described))?.route.pattern;
}

describe("routes get the operations that describe them", () => {
  const routes = [
    route("regex:/reports/[0-9]+"),
    route("regex:/reports/[^/]+"),
    route("/items/**", ["ANY"], ["items:admin"]),
    route("/items/*"),
    route("/items/special", ["GET"]),
    route("/files/{path...}", ["get", "POST"]),
  ];
  for (const [path, method, pattern] of [
    ["/items/{id}", "PUT", "/items/*"],
    ["/items/{id}.json", "GET", "/items/*"],
    ["/items/{id}/parts", "GET", "/items/**"],
    ["/items/special", "GET", "/items/special"],
    ["/items/special", "HEAD", "/items/special"],
    ["/items/special", "DELETE", undefined],
    ["/files/{name}", "GET", "/files/{path...}"],
    ["/files/{name}", "PATCH", undefined],
    ["/reports/7", "GET", "regex:/reports/[0-9]+"],
    ["/reports/{year}", "GET", "regex:/reports/[^/]+"],
    ["/admin", "GET", undefined],
    ["/{anything}", "GET", undefined],
  ] as const)
    test(`${method} ${path}: ${pattern}`, () => assert.equal(routeOf(routes, operation(path, method)), pattern));

  test("all below the base without routes in the manifest", () => {
    assert.equal(routeOf([], operation("/a/{b}")), "/**");
  });

  test("every route stays as the manifest has it, in its order", () => {
    const api = { routes, everything: route("/**") };
    const described = describedRoutes(api, { operations: [operation("/items/{id}"), operation("/elsewhere")] });
    assert.deepEqual(
      described.map((each) => each.route),
      routes,
    );
    assert.ok(described.every((each, index) => each.route === routes[index]));
  });

  test("expressions take as many steps together as for one request", () => {
    const costly = route(`regex:/(?:${"[a-z]{0,90}".repeat(5)})*x`);
    const operations = Array.from({ length: 500 }, (_, index) => operation(`/${"a".repeat(200 + (index % 50))}x`));
    const [found] = describedRoutes({ routes: [costly], everything: costly }, { operations });
    const count = found?.operations.length ?? 0;
    assert.ok(count > 0 && count < 50, `${count} operations`);
  });
});
