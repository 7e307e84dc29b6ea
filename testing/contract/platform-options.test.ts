import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PlatformUnderTest, send, startPlatform, type TestUser } from "@appserver/testing/kit";

interface Option {
  readonly section: string;
  readonly name: string;
  readonly value: string;
  readonly origin: string;
}

const query = "{ platform { version nodeVersion options { section name value origin } } }";

describe("version and options of the platform", () => {
  let platform: PlatformUnderTest;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());

  test("those in force are listed with their sources, and no secret is among them", async () => {
    const { data, errors } = await platform.graphql(query);
    assert.equal(errors, undefined);
    const { version, nodeVersion, options } = (
      data as { platform: { version: string; nodeVersion: string; options: Option[] } }
    ).platform;
    assert.match(version, /^\d+\.\d+\.\d+/);
    assert.match(nodeVersion, /^\d+\.\d+\.\d+$/);
    const origins = new Set(options.map(({ origin }) => origin));
    assert.ok(origins.has("default"), [...origins].join());
    assert.ok(origins.size > 1, "the platform of this test has options that are set");
    const secret = /key|secret|password|token/i;
    const shown = options.filter(({ name, value, origin }) => secret.test(name) && origin !== "default" && value !== "");
    for (const { name, value } of shown) assert.doesNotMatch(value, /^[A-Za-z0-9+/=_-]{16,}$/, name);
  });

  test("needs platform:view", async () => {
    const read = async (user: TestUser) => {
      const cookie = await platform.login(user);
      const { status, text } = await send(platform.httpUrl, "/api/v2/platform", { headers: { cookie } });
      return [status, (JSON.parse(text) as { code?: string }).code];
    };
    assert.deepEqual(await read("bob"), [403, "PERMISSION_DENIED"]);
    assert.deepEqual(await read("admin"), [200, undefined]);
  });
});
