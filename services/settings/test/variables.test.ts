import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { SettingDataType as T } from "@appserver/contracts/proto/appserver/v2/settings";
import { callBy, rejectsWith } from "@appserver/testing/kit";
import { createConfigurationDigests, createSettingVariables } from "../src/index.ts";
import type { EncryptionKey } from "../src/ports.ts";
import { updateSettings } from "../src/use-cases/update-settings.ts";
import { definition } from "./definitions.ts";
import { newKey, SettingsFixture, system } from "./fixture.ts";

const keysOf = (...keys: readonly EncryptionKey[]) => ({ load: async () => keys });

describe("settings in the environment of an app", () => {
  let fixture: SettingsFixture;
  before(async () => {
    fixture = await SettingsFixture.start();
  });
  after(() => fixture.stop());

  const variables = (keys: readonly EncryptionKey[] = fixture.keys) =>
    createSettingVariables({ database: fixture.home.database, keys: keysOf(...keys), clock: fixture.clock });
  const schema = [
    definition("limit", T.INT, { env: "LIMIT", defaultValue: "5" }),
    definition("tags", T.STRING_ARRAY, { env: "TAGS" }),
    definition("token", T.STRING, { env: "TOKEN", sensitive: true }),
    definition("hidden", T.STRING),
  ];

  test("stored values, defaults and decrypted secrets, by the names of their variables; nothing else", async () => {
    const { id } = fixture.app(schema);
    assert.deepEqual(await variables().read(id, schema), { LIMIT: "5" });
    const values = { limit: 7, tags: ["a", "b"], token: "s3cret", hidden: "x" };
    await updateSettings(fixture.context, { appId: id, values }, callBy(system));
    assert.deepEqual(await variables().read(id, schema), { LIMIT: "7", TAGS: '["a","b"]', TOKEN: "s3cret" });
  });

  test("a secret without its key is refused with the reason; a setting without a variable does not matter", async () => {
    const { id } = fixture.app(schema);
    await updateSettings(fixture.context, { appId: id, values: { token: "s3cret" } }, callBy(system));
    const other = variables([newKey("second")]);
    await assert.rejects(other.read(id, schema), rejectsWith("INVALID_STATE", /value of token .* key first/));
    assert.deepEqual(await other.read(id, schema.slice(0, 2)), { LIMIT: "5" });
  });

  test("a value that the variable cannot have is refused when it is set", async () => {
    const { id } = fixture.app(schema);
    const update = updateSettings(fixture.context, { appId: id, values: { token: "a".repeat(16_385) } }, callBy(system));
    await assert.rejects(update, rejectsWith("INVALID_REQUEST", /16384 bytes.* TOKEN/));
  });
});

describe("digests of configurations", () => {
  const [first, second] = [newKey("first"), newKey("second")];

  test("they are the same for the same key and text, and differ for any other", async () => {
    const digests = createConfigurationDigests(keysOf(first));
    const digest = await digests.of("text");
    assert.match(digest, /^v1:first:[A-Za-z0-9_-]{43}$/);
    assert.equal(await createConfigurationDigests(keysOf(first)).of("text"), digest);
    const others = [await digests.of("text "), await createConfigurationDigests(keysOf({ ...second, id: "first" })).of("text")];
    assert.ok(!others.includes(digest));
    assert.ok(!digest.includes(createHash("sha256").update("text").digest("base64url")));
  });

  test("after a rotation, digests with the earlier key still match, until that key is removed", async () => {
    const digest = await createConfigurationDigests(keysOf(first)).of("text");
    const rotated = createConfigurationDigests(keysOf(second, first));
    assert.match(await rotated.of("text"), /^v1:second:/);
    assert.deepEqual([await rotated.matches(digest, "text"), await rotated.matches(digest, "other")], [true, false]);
    assert.equal(await createConfigurationDigests(keysOf(second)).matches(digest, "text"), false);
    for (const wrong of ["", "v1", "v1:first:", "v1:first:AAAA", "v1:../x:AAAA"])
      assert.equal(await rotated.matches(wrong, "text"), false);
  });
});
