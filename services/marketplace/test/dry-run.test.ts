import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { isAppError } from "@appserver/kernel";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { dryRunRegistration } from "../src/use-cases/dry-run-registration.ts";
import { registerApp } from "../src/use-cases/register-app.ts";
import { type ManifestInit, signManifest, type TestIdentity, testIdentity, testManifest } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const call = callBy({ kind: "anonymous" });

describe("validating a manifest reports what registering it would be refused for", async () => {
  const { context, database, register, stop } = await startMarketplace();
  after(stop);

  const name = "com.example.validated";
  const { identity } = await register(name, { version: "1.0.0" });
  const stranger = await testIdentity("com.example.stranger");
  await register("com.example.stranger", {}, Promise.resolve(stranger));

  const cases: readonly (readonly [string, string, TestIdentity, string])[] = [
    ["another key under a name that is taken", "1.1.0", await testIdentity(name), "certificate"],
    ["the key of another app", "1.1.0", stranger, "certificate"],
    ["an older version", "0.9.0", identity, "version"],
  ];
  for (const [what, version, keys, field] of cases) {
    test(what, async () => {
      const manifest = testManifest(name, keys, { version, displayName: "changed" });
      const request = { manifest, manifestSignature: signManifest(manifest, keys) };
      const { violations } = await dryRunRegistration(context, request, call);
      assert.deepEqual(
        violations.map((violation) => violation.field),
        [field],
      );
      await assert.rejects(registerApp(context, request, call), (error: unknown) => {
        assert.ok(isAppError(error));
        assert.equal(violations[0]?.message, error.message);
        return true;
      });
    });
  }

  test("a signature of another manifest is reported", async () => {
    const manifest = testManifest(name, identity, { version: "1.2.0" });
    const other = testManifest(name, identity, { version: "1.3.0" });
    const { violations } = await dryRunRegistration(
      context,
      { manifest, manifestSignature: signManifest(other, identity) },
      call,
    );
    assert.deepEqual([violations[0]?.field, violations.length], ["manifest_signature", 1]);
  });

  test("a manifest that registering accepts is valid, signed or not, and nothing is stored or audited", async () => {
    const before = await database.query("select count(*) from platform.audit_log");
    const manifest = testManifest(name, identity, { version: "2.0.0" });
    for (const signature of [signManifest(manifest, identity), undefined]) {
      const { violations } = await dryRunRegistration(context, { manifest, manifestSignature: signature }, call);
      assert.deepEqual(violations, []);
    }
    const taken = testManifest(name, await testIdentity(name), { version: "2.0.0" });
    assert.equal((await dryRunRegistration(context, { manifest: taken }, call)).violations.length, 1);
    assert.equal((await context.store.findByName(name))?.availableVersion, undefined);
    assert.deepEqual((await database.query("select count(*) from platform.audit_log")).rows, before.rows);
  });

  test("a digest of the image is required of an app with a container, where the operator requires it", async () => {
    const strict = { ...context, policy: { ...context.policy, requiresImageDigest: true } };
    const own = await testIdentity("com.example.digested");
    const signed = (init: ManifestInit) => {
      const manifest = testManifest("com.example.digested", own, init);
      return { manifest, manifestSignature: signManifest(manifest, own) };
    };
    const { violations, warnings } = await dryRunRegistration(strict, signed({}), call);
    assert.deepEqual([violations, warnings.map(({ field }) => field)], [[], ["image_digest"]]);
    await assert.rejects(
      registerApp(strict, signed({}), call),
      rejectsWith("INVALID_REQUEST", /image_digest is missing.*apps\.require_digest.*`appctl deploy` writes it/),
    );
    const external = { webApp: { api: { basePath: "/", upstreamBaseUrl: "https://digested.example.com" } } };
    for (const init of [{ imageDigest: `sha256:${"5".repeat(64)}` }, { ...external, version: "1.1.0" }])
      assert.deepEqual((await registerApp(strict, signed(init), call)).warnings, []);
  });

  test("a HARD dependency that is not registered is a warning, as at the registration", async () => {
    const own = await testIdentity("com.example.needy");
    const dependencies = [
      { appName: "com.example.absent", kind: DependencyKind.HARD },
      { appName: name, kind: DependencyKind.HARD },
    ];
    const manifest = testManifest("com.example.needy", own, { dependencies });
    const signed = { manifest, manifestSignature: signManifest(manifest, own) };
    const { missingDependencies } = await dryRunRegistration(context, signed, call);
    assert.deepEqual(
      missingDependencies.map(({ code, message }) => `${code} ${message}`),
      ["DEPENDENCY_UNSATISFIED com.example.absent is not registered; it must be before com.example.needy can be installed"],
    );
    assert.deepEqual((await registerApp(context, signed, call)).warnings, missingDependencies);
  });
});
