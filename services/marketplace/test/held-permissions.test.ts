import assert from "node:assert/strict";
import { test } from "node:test";
import { scopeObject } from "@appserver/contracts/authorization";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { AuthorizedPermissions, callBy, SetAuthorization } from "@appserver/testing/kit";
import { create } from "@bufbuild/protobuf";
import { readHeldPermissions } from "../src/use-cases/read-navigation.ts";

const name = "com.example.notes";
const ada = { kind: "user", id: "ada", displayName: "Ada" } as const;

test("a page gets the app's own permissions that its viewer holds, of its routes and its navigation, and none of the platform", async () => {
  const routes = [
    { pattern: "/a", methods: ["GET"], scopes: ["notes:read", "app:view"] },
    { pattern: "/b", methods: ["PUT"], scopes: ["notes:approve"] },
  ];
  const navigation = [
    { title: "N", href: "/n", children: [{ title: "O", href: "/n/o", requiredPermissions: ["notes:list"] }] },
  ];
  const manifest = create(AppManifestSchema, {
    name,
    webApp: { api: { basePath: "/", routes }, ui: { routeBase: "/n", navigation } },
  });
  const authorization = new SetAuthorization();
  const permissions = new AuthorizedPermissions(authorization);
  const read = () => readHeldPermissions({ permissions }, manifest, callBy(ada));
  assert.deepEqual(await read(), []);
  for (const object of [
    scopeObject("notes:list", name),
    scopeObject("notes:read", name),
    scopeObject("app:view"),
    scopeObject("notes:approve", "com.example.shop"),
  ])
    authorization.grant("user:ada", object);
  assert.deepEqual(await read(), ["notes:read", "notes:list"]);
});
