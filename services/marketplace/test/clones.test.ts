import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { canonicalManifest } from "@appserver/contracts/manifest";
import type { Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { SqlMarketplaceReads } from "../src/adapters/sql-marketplace-reads.ts";
import { type AppRecord, imageOwnerOf } from "../src/domain/app.ts";
import { parseCertificate } from "../src/domain/certificate.ts";
import { verifyDetached } from "../src/domain/detached-signature.ts";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { cloneApp } from "../src/use-cases/snapshots/clone-app.ts";
import { createSnapshot } from "../src/use-cases/snapshots/snapshot-commands.ts";
import { testAsset, testIdentity } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const call = callBy(system);
const imageDigest = `sha256:${"1".repeat(64)}`;

function taken({ id: appId, name: appName }: AppRecord) {
  return { appId, appName, reason: "manual" } as const;
}

describe("clones of apps", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  /** Returns the id of a snapshot of a running app. */
  const copied = async (name: string): Promise<string> => {
    const identity = await testIdentity(name);
    const asset = testAsset("main.js", "export const mount = () => {};", identity);
    const api = { basePath: `/api/apps/${name}`, upstreamBaseUrl: `http://app-${name}:3000` };
    const { app } = await home.register(name, { webApp: { api, assets: [asset] } }, Promise.resolve(identity));
    await installApp(home.context, { name }, call);
    home.deploy(app.id, 1, "HEALTHY", { imageDigest });
    await applyDeployment(home.context, name);
    return (await createSnapshot(home.context, { name, label: undefined }, call)).operation.id;
  };
  const clone = (name: string, snapshot: string, as: string, caller: Caller = system) =>
    cloneApp(home.context, { name, snapshot, as }, callBy(caller));

  test("a clone has an id, a key and signatures of its own, the image of the original, and asks for the data", async () => {
    const [name, as] = ["com.example.original", "com.example.clone"];
    const snapshot = await copied(name);
    await assert.rejects(clone(name, snapshot, as), rejectsWith("INVALID_STATE", /not complete/));
    home.snapshots.end(snapshot, { state: "COMPLETED" });
    const { app, operation } = await clone(name, snapshot, as);
    const original = await home.stored(name);
    assert.deepEqual([app.state, app.version, operation.done], ["REGISTERED", "1.0.0", false]);
    assert.notEqual(app.id, original.id);
    assert.notEqual(app.keyFingerprint, original.keyFingerprint);
    assert.deepEqual([imageOwnerOf(app, app.manifestDigest), imageOwnerOf(app, "of a later release")], [name, as]);
    const restore = home.snapshots.restores.get(operation.id);
    assert.partialDeepStrictEqual(restore, { snapshotId: snapshot, appId: app.id, appName: as });

    const release = await home.context.store.signedRelease(app.id, app.manifestDigest);
    const certificate = release && parseCertificate(release.manifest.certificate);
    assert.ok(release?.signature && certificate);
    assert.equal(release.manifest.imageDigest, imageDigest);
    assert.ok(verifyDetached(certificate, canonicalManifest(release.manifest), release.signature));
    const parts: Uint8Array[] = [];
    for await (const part of home.context.store.assetContents(app.id, app.manifestDigest, "main.js")) parts.push(part);
    const [asset] = release.manifest.webApp?.assets ?? [];
    assert.ok(asset && verifyDetached(certificate, Buffer.concat(parts), asset.signature));

    // The first one was interrupted before it asked for the data.
    home.snapshots.restores.clear();
    await assert.rejects(installApp(home.context, { name: as }, call), rejectsWith("INVALID_STATE", /does not have the data/));
    const again = await clone(name, snapshot, as);
    assert.equal(again.app.id, app.id);
    assert.equal(home.snapshots.restores.size, 1);
    const other = (await createSnapshot(home.context, { name, label: undefined }, call)).operation.id;
    home.snapshots.end(other, { state: "COMPLETED" });
    await assert.rejects(clone(name, other, as), rejectsWith("CONFLICT"), "the data of another snapshot");
    const second = await copied("com.example.second");
    home.snapshots.end(second, { state: "COMPLETED" });
    await assert.rejects(clone("com.example.second", second, as), rejectsWith("CONFLICT", /another app is registered/));
    assert.ok((await new SqlMarketplaceReads(home.database).retainedImages()).has(imageDigest));
    home.snapshots.complete(again.operation.id);
    assert.equal((await installApp(home.context, { name: as }, call)).app.state, "INSTALLED");
  });

  test("a clone needs both permissions, a snapshot of the app, a free name, and a platform without an authority", async () => {
    const [name, as] = ["com.example.guarded", "com.example.refused"];
    const snapshot = await copied(name);
    home.snapshots.end(snapshot, { state: "COMPLETED" });
    await assert.rejects(clone(name, snapshot, as, bob), rejectsWith("PERMISSION_DENIED", /app:backup/));
    const user = "user:bob";
    await home.authorization.write({ writes: [{ user, relation: "holder", object: "permission_scope:backup_app" }] });
    await assert.rejects(clone(name, snapshot, as, bob), rejectsWith("PERMISSION_DENIED", /app:register/));
    await assert.rejects(clone(name, snapshot, "No Name"), rejectsWith("INVALID_REQUEST", /as must be an app name/));
    await assert.rejects(clone(name, name, as), rejectsWith("NOT_FOUND"));
    await assert.rejects(clone(name, snapshot, name), rejectsWith("CONFLICT"));
    const policy = { ...home.context.policy, registration: "ca" } as const;
    const withAuthority = cloneApp({ ...home.context, policy }, { name, snapshot, as }, call);
    await assert.rejects(withAuthority, rejectsWith("PERMISSION_DENIED", /certificate of your authority/));
    await home.snapshots.request({ ...taken(await home.stored(name)), appVersion: "2.0.0", manifestDigest: "forgotten" });
    const [newer] = await home.snapshots.list((await home.stored(name)).id);
    home.snapshots.end(newer?.id ?? "", { state: "COMPLETED" });
    await assert.rejects(clone(name, newer?.id ?? "", as), rejectsWith("INVALID_STATE", /no longer stored/));
    assert.equal(await home.context.store.findByName(as), undefined);
  });
});
