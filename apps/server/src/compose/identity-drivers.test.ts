import assert from "node:assert/strict";
import { test } from "node:test";
import { readServeConfig } from "../config/serve-config.ts";
import { findIdentity } from "./admin.ts";
import { type Identity, identityDrivers, openIdentity, signInOptions } from "./identity-drivers.ts";
import { identityEndpoints } from "./protected-endpoints.ts";

const environment = {
  APPSERVER_DB_PASSWORD: "secret",
  APPSERVER_KRATOS_PUBLIC_URL: "http://identity.internal:4433",
  APPSERVER_OPENFGA_API_URL: "http://permissions.internal:8080",
  APPSERVER_SETTINGS_ENCRYPTION_KEY: "0123456789abcdef0123456789abcdef",
};
const config = readServeConfig({}, environment);

test("a further driver is one entry of the table: it signs users in, is protected from apps, and finds administrators", async (t) => {
  const third: Identity = { ...(await openIdentity(config)), idOf: async (address) => `id of ${address}` };
  const drivers: Record<string, unknown> = identityDrivers;
  drivers["third"] = {
    open: async () => third,
    servers: () => ({ urls: ["https://third.internal"], otherPorts: [9] }),
  } satisfies (typeof identityDrivers)["kratos"];
  t.after(() => delete drivers["third"]);
  const chosen = { ...config, identity: { driver: "third" as "kratos" } };
  assert.equal(await openIdentity(chosen), third);
  assert.deepEqual(
    identityEndpoints(chosen),
    [443, 9].map((port) => ({ host: "third.internal", port })),
  );
  assert.equal(await findIdentity({ config: chosen }, "ada@example.com"), "id of ada@example.com");
});

test("the pages of Kratos are those of the console, unless browsers reach Kratos at an address of its own", async () => {
  const browserUrl = { APPSERVER_KRATOS_BROWSER_URL: "https://id.example" };
  const hasSelfService = async (more = {}) =>
    signInOptions(await openIdentity(readServeConfig({}, { ...environment, ...more })), true).hasSelfService;
  assert.deepEqual([await hasSelfService(), await hasSelfService(browserUrl)], [true, false]);
});

test("an administrator is found by address only with the admin API of Kratos", async () => {
  await assert.rejects(findIdentity({ config }, "ada@example.com"), /APPSERVER_KRATOS_ADMIN_URL is not set/);
});
