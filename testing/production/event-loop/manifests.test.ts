import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { EventLoopGuard, type PlatformUnderTest, RunningPlatform } from "@appserver/testing/kit";
import { create, type MessageInitShape } from "@bufbuild/protobuf";

type Init = MessageInitShape<typeof AppManifestSchema>;

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const letters = (length: number) => "a".repeat(length);
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const { STRING, JSON: JSON_TYPE } = SettingDataType;

const withRoutes = (patterns: readonly string[]): Init => ({
  webApp: {
    api: {
      basePath: "/",
      upstreamBaseUrl: "http://127.0.0.1:9",
      routes: patterns.map((pattern) => ({ pattern, methods: ["GET"] })),
    },
  },
});
const withSettings = (
  definitions: readonly { readonly dataType: SettingDataType; readonly defaultValue?: string; readonly pattern?: string }[],
): Init => ({
  settings: {
    definitions: definitions.map(({ pattern, ...rest }, index) => ({
      key: `k${index}`,
      ...rest,
      ...(pattern === undefined ? {} : { validation: { pattern } }),
    })),
  },
});

/** A schema whose branches double with each level. */
function doubling(levels: number): string {
  const $defs: Record<string, object> = { [`a${levels}`]: { type: "string" } };
  for (let level = 0; level < levels; level += 1)
    $defs[`a${level}`] = { anyOf: [{ $ref: `#/$defs/a${level + 1}` }, { $ref: `#/$defs/a${level + 1}` }] };
  return JSON.stringify({ $ref: "#/$defs/a0", $defs });
}

/** The most expensive contents of each kind that a manifest can have, both valid and invalid. */
const worst: Readonly<Record<string, Init>> = {
  "a counted repetition of 140,000 instructions": withRoutes([`regex:/${"[a-z]{0,999}".repeat(70)}x`]),
  "a thousand routes of it": withRoutes(many(1_000, (index) => `regex:/${index}${"[a-z]{0,999}".repeat(70)}x`)),
  "a thousand routes of the greatest size that is accepted": withRoutes(
    many(1_000, (index) => `regex:/${index}${"[a-z]{0,99}".repeat(4)}`),
  ),
  "nested groups, classes of Unicode, alternatives": withRoutes([
    `regex:${"(".repeat(330)}a${")".repeat(330)}`,
    `regex:(?i)${"\\pL".repeat(300)}`,
    `regex:${many(200, (index) => `a${index}`).join("|")}`,
  ]),
  "patterns of settings with long defaults": withSettings(
    many(64, () => ({ dataType: STRING, pattern: ".*a.{9}x", defaultValue: `"${letters(30_000)}"` })),
  ),
  "two thousand settings with a pattern": withSettings(
    many(2_000, () => ({ dataType: STRING, pattern: `${"[a-z]{0,999}".repeat(70)}x` })),
  ),
  "a default of 1 MB": withSettings([{ dataType: JSON_TYPE, defaultValue: JSON.stringify(many(100_000, (index) => index)) }]),
  "a default nested 100,000 deep": withSettings([{ dataType: JSON_TYPE, defaultValue: nested(100_000) }]),
  "5,000 violations": { dependencies: many(5_000, (index) => ({ appName: `!${index}` })) },
  "2,000 violations within the counts": withRoutes(many(1_000, (index) => `!${index}${letters(500)}`)),
  "an input schema whose branches double": { activities: [{ name: "a", inputSchema: doubling(20) }] },
  "200 of them": { activities: many(200, (index) => ({ name: `a${index}`, inputSchema: doubling(20) })) },
  "an input schema nested 10,000 deep": {
    activities: [{ name: "a", inputSchema: `${'{"not":'.repeat(9_000)}{}${"}".repeat(9_000)}` }],
  },
  "input schemas with many keywords": {
    activities: many(2, (index) => ({
      name: `a${index}`,
      inputSchema: JSON.stringify({
        properties: Object.fromEntries(many(1_000, (key) => [`k${key}`, { type: "string", enum: ["a", "b"], minLength: 1 }])),
      }),
    })),
  },
};

describe("the event loop while manifests are validated", () => {
  let platform: PlatformUnderTest;
  let guard: EventLoopGuard;

  before(async () => {
    guard = await EventLoopGuard.create();
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: guard.environment });
    // One-time compilation and loading must not count for the first input.
    await validate({});
  });
  after(() => platform.stop());

  const validate = (init: Init): Promise<unknown> => {
    const manifest: AppManifest = create(AppManifestSchema, { name: "com.example.worst", version: "1.0.0", ...init });
    return platform.client().marketplace.validateManifest({ manifest });
  };

  for (const [name, init] of Object.entries(worst)) test(name, () => guard.assertUnharmed(() => validate(init)));

  test("200,000 hooks and 50,000 dependencies are not even decoded", async () => {
    const parts = {
      hooks: many(200_000, () => ({ hookName: "a.b" })),
      dependencies: many(50_000, () => ({ appName: "a.b" })),
    };
    const expected = /more than 50000 parts/;
    await guard.assertUnharmed(() => assert.rejects(validate(parts), expected));
    const url = `${platform.grpcUrl}/appserver.v2.MarketplaceService/ValidateManifest`;
    const body = JSON.stringify({ manifest: { name: "com.example.worst", ...parts } });
    await guard.assertUnharmed(async () => {
      const headers = { "content-type": "application/json", ...platform.administrator };
      const response = await fetch(url, { method: "POST", headers, body });
      assert.match(await response.text(), expected);
    });
  });
});
