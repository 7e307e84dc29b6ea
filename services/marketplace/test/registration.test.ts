import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import type { AppError, Caller } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { mayAuthenticate } from "../src/domain/app-state.ts";
import { mayRegister } from "../src/use-cases/admit-registration.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { readRelease } from "../src/use-cases/read-release.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { liveAppsOn, signManifest, successorOf, testAsset, testIdentity, testManifest } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };
const anybody: Caller = { kind: "anonymous" };

describe("registration on PostgreSQL", async () => {
  const { context, database, authorization, objections, eventsOf, register, stop } = await startMarketplace();

  after(stop);

  const typesOf = async (name: string) => (await eventsOf(name)).map((event) => event.type);

  test("registering the same manifest again changes nothing", async () => {
    const { identity, app, manifest } = await register("com.example.first");
    assert.equal(app.state, "REGISTERED");
    const again = await registerApp(
      context,
      { manifest, manifestSignature: signManifest(manifest, identity) },
      callBy(anybody),
    );
    assert.equal(again.changed, false);
    assert.deepEqual(await typesOf("com.example.first"), ["app.registered", "app.state_changed"]);
  });

  test("a release is read as it was registered: another platform accepts it", async () => {
    const identity = await testIdentity("com.example.moved");
    const large = testAsset("large.js", "x".repeat(600_000), identity);
    const assets = [testAsset("small.js", "y", identity), large, testAsset("empty.js", "", identity)];
    const api = { basePath: "/", upstreamBaseUrl: "http://app-com.example.moved:3000" };
    const manifest = testManifest("com.example.moved", identity, { webApp: { assets, api } });
    const signature = signManifest(manifest, identity);
    const { app } = await registerApp(context, { manifest, manifestSignature: signature }, callBy(anybody));
    const request = { name: app.name, manifestDigest: app.manifestDigest };
    const read = await readRelease(context, request, callBy(system));
    const contents = new Map<string, string>();
    for await (const { name, data } of read.parts)
      contents.set(name, (contents.get(name) ?? "") + Buffer.from(data).toString());
    assert.deepEqual(
      [...contents],
      [
        ["small.js", "y"],
        ["large.js", "x".repeat(600_000)],
      ],
    );
    assert.deepEqual(Buffer.from(read.signature ?? []), Buffer.from(signature));
    assert.deepEqual(Buffer.from(read.certificate), Buffer.from(manifest.certificate));
    const second = await startMarketplace();
    try {
      const moved = read.manifest;
      for (const asset of moved.webApp?.assets ?? []) asset.contents = Buffer.from(contents.get(asset.name) ?? "");
      const again = { manifest: moved, manifestSignature: read.signature };
      const registered = await registerApp(second.context, again, callBy(anybody));
      assert.equal(registered.app.manifestDigest, app.manifestDigest);
    } finally {
      await second.stop();
    }
    await assert.rejects(readRelease(context, { ...request, manifestDigest: "0" }, callBy(system)), rejectsWith("NOT_FOUND"));
    await assert.rejects(readRelease(context, request, callBy(anybody)), rejectsWith("AUTHENTICATION_REQUIRED"));
  });

  test("another key under a name is CONFLICT and the stored manifest does not change", async () => {
    const { app } = await register("com.example.pinned");
    const read = async () =>
      (await database.query<{ manifest: Buffer }>("select manifest from marketplace.manifests where app_id = $1", [app.id]))
        .rows[0]?.manifest;
    const before = await read();
    const other = await testIdentity("com.example.pinned");
    const takeover = testManifest("com.example.pinned", other, { version: "9.0.0" });
    await assert.rejects(
      registerApp(context, { manifest: takeover, manifestSignature: signManifest(takeover, other) }, callBy(anybody)),
      rejectsWith("CONFLICT", /another key/),
    );
    assert.deepEqual(await read(), before);
  });

  test("a caller that only has the certificate cannot change the manifest", async () => {
    const { identity } = await register("com.example.public");
    const forged = testManifest("com.example.public", identity, { version: "2.0.0" });
    await assert.rejects(
      registerApp(context, { manifest: forged }, callBy(anybody)),
      rejectsWith("AUTHENTICATION_REQUIRED", /manifest_signature/),
    );
    const stranger = await testIdentity("stranger");
    await assert.rejects(
      registerApp(context, { manifest: forged, manifestSignature: signManifest(forged, stranger) }, callBy(anybody)),
      rejectsWith("AUTHENTICATION_FAILED", /does not verify/),
    );
  });

  test("a successor certificate signed by the old key moves the app to a new key", async () => {
    const { identity } = await register("com.example.moving");
    const next = await successorOf(identity, "com.example.moving");
    const manifest = testManifest("com.example.moving", next, { version: "1.1.0" });
    const { app } = await registerApp(context, { manifest, manifestSignature: signManifest(manifest, next) }, callBy(anybody));
    assert.equal(app.version, "1.1.0");
  });

  test("after a rotation only the new key is valid, for signatures and for successors, whichever version runs", async () => {
    const name = "com.example.rotated";
    const { identity: first } = await register(name);
    await installApp(context, { name: name }, callBy(system));
    const submit = (identity: Awaited<ReturnType<typeof testIdentity>>, version: string) => {
      const manifest = testManifest(name, identity, { version });
      return registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
    };
    const second = await successorOf(first, name);
    await submit(second, "1.1.0");
    await assert.rejects(submit(await successorOf(first, name), "1.2.0"), rejectsWith("CONFLICT", /another key/));
    /** As a process reads it that has just started. */
    const inForce = async () => {
      const apps = liveAppsOn(database);
      return Buffer.from((await apps.current(name))?.certificate ?? "").toString();
    };
    assert.equal(await inForce(), second.certificate);
    const third = await successorOf(second, name);
    assert.equal((await submit(third, "1.3.0")).app.version, "1.0.0");
    assert.equal(await inForce(), third.certificate);
  });

  test("an app whose only installation failed has no valid key", async () => {
    const { app } = await register("com.example.keyless");
    const hasKey = async () => mayAuthenticate((await context.apps.current(app.name))?.app ?? app);
    objections.add(app.name);
    await assert.rejects(installApp(context, { name: app.name }, callBy(system)));
    assert.equal(await hasKey(), false);
    await installApp(context, { name: app.name }, callBy(system));
    assert.equal(await hasKey(), true);
  });

  test("an unsigned registration may be repeated only if unsigned registrations are accepted", async () => {
    const name = "com.example.unsigned";
    const manifest = testManifest(name, await testIdentity(name));
    const submit = (allowUnsigned: boolean) =>
      registerApp({ ...context, policy: { ...context.policy, allowUnsigned } }, { manifest }, callBy(anybody));
    assert.equal((await submit(true)).changed, true);
    assert.equal((await submit(true)).changed, false);
    await assert.rejects(submit(false), rejectsWith("AUTHENTICATION_REQUIRED", /manifest_signature/));
  });

  test("a certificate of an authority registers only the app that it names", async () => {
    const authority = await testIdentity("authority");
    const ca = {
      ...context,
      policy: { ...context.policy, registration: "ca", certificateAuthorities: [authority.certificate] },
    } as const;
    const submit = async (name: string, subject: string) => {
      const identity = await successorOf(authority, subject, "authority");
      const manifest = testManifest(name, identity);
      return registerApp(ca, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
    };
    assert.equal((await submit("com.example.vouched_for", "com.example.vouched_for")).changed, true);
    for (const other of ["com.example.other", "*.example.vouched", "com.example.vouched.for"])
      await assert.rejects(
        submit("com.example.vouched", other),
        rejectsWith("PERMISSION_DENIED", /not for com\.example\.vouched/),
      );
  });

  test("an administrator registers an app under another key", async () => {
    const { app } = await register("com.example.rekeyed");
    const manifest = testManifest(app.name, await testIdentity(app.name), { version: "2.0.0" });
    const by = (id: string) => registerApp(context, { manifest }, callBy({ kind: "user", id, displayName: id }));
    await assert.rejects(by("bob"), rejectsWith("CONFLICT", /another key/));
    assert.equal((await by("admin")).app.version, "2.0.0");
  });

  test("with registration: token, a token registers, and the session of a user with app:register", async () => {
    const guarded = { ...context, policy: { ...context.policy, registration: "token", registrationToken: "t" } } as const;
    const name = "com.example.by_session";
    const identity = await testIdentity(name);
    const submit = (version: string, caller: Caller, token?: string, keys = identity) => {
      const manifest = testManifest(name, keys, { version });
      return registerApp(guarded, { manifest, manifestSignature: signManifest(manifest, keys), token }, callBy(caller));
    };
    const named = (id: string): Caller => ({ kind: "user", id, displayName: id });
    await assert.rejects(submit("1.0.0", anybody), rejectsWith("AUTHENTICATION_REQUIRED", /token, or the session of a user/));
    await assert.rejects(submit("1.0.0", named("dora")), rejectsWith("PERMISSION_DENIED", /app:register/));
    const holder = { user: "user:dora", relation: "holder", object: "permission_scope:register_app" };
    assert.equal(await mayRegister(guarded, named("dora")), false);
    await authorization.write({ writes: [holder] });
    assert.deepEqual(await Promise.all([named("dora"), anybody].map((each) => mayRegister(guarded, each))), [true, false]);
    assert.equal(await mayRegister(context, anybody), true, "open");
    assert.equal((await submit("1.0.0", named("dora"))).changed, true);
    assert.equal((await submit("1.1.0", anybody, "t")).changed, true);
    await assert.rejects(submit("1.2.0", named("dora"), "wrong"), rejectsWith("AUTHENTICATION_FAILED"));
    // It is no right to the names of others: that is app:replace_key.
    const other = await testIdentity(name);
    await assert.rejects(submit("1.2.0", named("dora"), undefined, other), rejectsWith("CONFLICT", /another key/));
  });

  test("one key belongs to one app", async () => {
    const { identity } = await register("com.example.owner");
    const manifest = testManifest("com.example.second", identity);
    await assert.rejects(
      registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody)),
      rejectsWith("CONFLICT", /belongs to another app/),
    );
  });

  async function registerPage(name: string, routeBase: string) {
    const identity = await testIdentity(name);
    const ui = { mode: UIMode.UI_MODE_ESM_COMPONENT, entryAssetName: "page.js", routeBase };
    const assets = [testAsset("page.js", "export function mount() {}", identity)];
    return register(name, { webApp: { assets, ui } }, Promise.resolve(identity));
  }

  test("a path of pages belongs to one app, with all above and below it", async () => {
    await registerPage("com.example.team", "/team/board");
    for (const [routeBase, message] of [
      ["/team/board", /"\/team\/board" belongs to com\.example\.team/],
      ["/team/board/new", /is below, and "\/team\/board" belongs to com\.example\.team/],
      ["/team", /is above, and "\/team\/board" belongs to com\.example\.team/],
      ["/team/board/", /belongs to com\.example\.team/],
    ] as const)
      await assert.rejects(registerPage("com.example.intruder", routeBase), rejectsWith("INVALID_REQUEST", message), routeBase);
    for (const [index, routeBase] of ["/team/boards", "/team/board-2", "/teams"].entries())
      await registerPage(`com.example.neighbour${index}`, routeBase);
  });

  test("of two racing registrations of paths below each other, one succeeds", async () => {
    const attempts = await Promise.allSettled(
      ["/race", "/race/below"].map((base, index) => registerPage(`com.example.path${index}`, base)),
    );
    assert.deepEqual(attempts.map((attempt) => attempt.status).sort(), ["fulfilled", "rejected"]);
  });

  test("of two racing registrations of a name with different keys, one succeeds", async () => {
    const attempts = await Promise.allSettled([register("com.example.race"), register("com.example.race")]);
    assert.deepEqual(attempts.map((attempt) => attempt.status).sort(), ["fulfilled", "rejected"]);
  });

  test("all violations are reported at once, each with its field", async () => {
    const identity = await testIdentity("x");
    const manifest = testManifest("Bad Name", identity, { version: "one", webApp: {} });
    await assert.rejects(registerApp(context, { manifest }, callBy(anybody)), (error: AppError) => {
      assert.deepEqual(error.violations.map(({ field }) => field).sort(), ["name", "version", "web_app"]);
      return true;
    });
  });

  test("a lower version with other content is CONFLICT; a higher one of an installed app becomes available", async () => {
    const { identity, app } = await register("com.example.versions");
    const guarded = { ...context, policy: { ...context.policy, registration: "token", registrationToken: "t" } } as const;
    const submit = (version: string, displayName: string) => {
      const manifest = testManifest("com.example.versions", identity, { version, displayName });
      const request = { manifest, manifestSignature: signManifest(manifest, identity), token: "t" };
      return registerApp(guarded, request, callBy(anybody));
    };
    await assert.rejects(submit("1.0.0", "Other"), rejectsWith("CONFLICT", /needs a higher version/));
    await assert.rejects(submit("0.9.0", "Other"), rejectsWith("CONFLICT", /needs a higher version/));
    await installApp(context, { name: app.name }, callBy(system));
    const { app: updated } = await submit("1.2.0", "Newer");
    assert.deepEqual([updated.version, updated.availableVersion], ["1.0.0", "1.2.0"]);
  });

  test("open registration takes other content under the newest version as its next revision", async () => {
    const name = "com.example.revisions";
    const { identity, app } = await register(name);
    const submit = async (version: string, displayName: string) => {
      const manifest = testManifest(name, identity, { version, displayName });
      return registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
    };
    const { app: edited } = await submit("1.0.0", "Edited");
    assert.deepEqual([edited.version, edited.revision, edited.displayName], ["1.0.0", 2, "Edited"]);
    assert.notEqual(edited.manifestDigest, app.manifestDigest);
    const again = await submit("1.0.0", "Edited");
    assert.equal(again.changed, false);
    await assert.rejects(submit("0.9.0", "Older"), rejectsWith("CONFLICT", /needs a higher version/));
    const stored = await context.store.releases(app.id);
    assert.deepEqual(
      stored.map(({ version, revision }) => `${version} ${revision}`),
      ["1.0.0 2", "1.0.0 1"],
    );
  });

  test("keeps the release that serves, the available one and those used last", async () => {
    const name = "com.example.keeper";
    const { identity, app } = await register(name);
    await installApp(context, { name }, callBy(system));
    for (let minor = 1; minor <= 7; minor += 1) {
      const manifest = testManifest(name, identity, { version: `1.${minor}.0` });
      await registerApp(context, { manifest, manifestSignature: signManifest(manifest, identity) }, callBy(anybody));
    }
    const kept = (await context.store.releases(app.id)).map(({ version }) => version);
    assert.deepEqual(kept, ["1.7.0", "1.6.0", "1.5.0", "1.4.0", "1.0.0"]);
  });
});
