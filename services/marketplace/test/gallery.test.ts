import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import type { MarketplaceContext } from "../src/use-cases/context.ts";
import type { Gallery } from "../src/use-cases/gallery/gallery.ts";
import { readGallery } from "../src/use-cases/gallery/read-gallery.ts";
import { tryApp } from "../src/use-cases/gallery/try-app.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { type ManifestInit, signManifest, testIdentity, testManifest } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const links = "com.example.links";
const python = "com.example.python";
const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
const installer: Caller = { kind: "user", id: "installer", displayName: "Installer" };
const obstacle = "It needs packages of Python.";
const required: ManifestInit = {
  requiredPermissions: [{ scope: "audit:view", resourceType: "platform", reason: "Shows who did what." }],
};

describe("the gallery", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
    const tuple = { user: "user:installer", relation: "holder", object: "permission_scope:install_app" };
    await home.authorization.write({ writes: [tuple] });
  });
  after(() => home?.stop());

  /** The context of a platform with a gallery of two apps, each with a key of its own. */
  async function withGallery(name: string, init: ManifestInit = {}): Promise<MarketplaceContext> {
    const identity = await testIdentity(name);
    const manifest = testManifest(name, identity, init);
    const gallery: Gallery = {
      list: async () => [
        { manifest, obstacle: undefined },
        { manifest: testManifest(python, identity), obstacle },
      ],
      release: async () => ({ manifest, signature: signManifest(manifest, identity) }),
    };
    return { ...home.context, gallery };
  }

  async function statesOf(context: MarketplaceContext): Promise<readonly (string | undefined)[]> {
    return (await readGallery(context, callBy(admin))).map(({ app }) => app?.state);
  }

  async function actionsOn(name: string): Promise<readonly unknown[]> {
    const sql = "select action from platform.audit_log where target = $1 order by id";
    return (await home.database.query<{ action: string }>(sql, [`app:${name}`])).rows.map(({ action }) => action);
  }

  test("an app is registered and installed in the name of the caller, removed, and tried again", async () => {
    const context = await withGallery(links);
    assert.deepEqual(await statesOf(context), [undefined, undefined]);
    const { app, operation } = await tryApp(context, { name: links }, callBy(admin));
    assert.deepEqual([app.state, operation.kind, operation.actor], ["INSTALLED", "install", "user:admin"]);
    assert.deepEqual(await actionsOn(links), ["app.register", "app.install"]);
    assert.deepEqual(await statesOf(context), ["INSTALLED", undefined]);
    await assert.rejects(tryApp(context, { name: links }, callBy(admin)), rejectsWith("INVALID_STATE", /is INSTALLED already/));
    await uninstallApp(context, { name: links, purgeData: true }, callBy(admin));
    assert.deepEqual(await statesOf(context), ["UNINSTALLED", undefined]);
    assert.equal((await tryApp(context, { name: links }, callBy(admin))).app.state, "INSTALLED");
  });

  test("what it requests is approved if the caller may approve, and otherwise missing", async () => {
    const name = "com.example.curious";
    const context = await withGallery(name, required);
    await assert.rejects(tryApp(context, { name }, callBy(installer)), rejectsWith("APPROVAL_REQUIRED"));
    assert.equal((await tryApp(context, { name }, callBy(admin))).app.state, "INSTALLED");
    assert.deepEqual(await actionsOn(name), ["app.register", "permission.approve", "app.install"]);
  });

  test("an app of another publisher keeps its name", async () => {
    const name = "com.example.owned";
    await home.register(name);
    await assert.rejects(tryApp(await withGallery(name), { name }, callBy(admin)), rejectsWith("CONFLICT", /another key/));
  });

  test("only what this platform can run is tried, by a caller that may install", async () => {
    const context = await withGallery(links);
    await assert.rejects(tryApp(context, { name: python }, callBy(admin)), rejectsWith("INVALID_STATE", /packages of Python/));
    const unknown = tryApp(context, { name: "com.example.unknown" }, callBy(admin));
    await assert.rejects(unknown, rejectsWith("NOT_FOUND", /the gallery has no app/));
    await assert.rejects(tryApp(home.context, { name: links }, callBy(admin)), rejectsWith("NOT_FOUND"));
    assert.deepEqual(await readGallery(home.context, callBy(admin)), []);
    const bob = callBy({ kind: "user", id: "bob", displayName: "Bob" });
    await assert.rejects(tryApp(context, { name: links }, bob), rejectsWith("PERMISSION_DENIED"));
    await assert.rejects(readGallery(context, bob), rejectsWith("PERMISSION_DENIED"));
  });
});
