import assert from "node:assert/strict";
import type { ClientHttp2Session } from "node:http2";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { ValidateManifestRequestSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { type PlatformUnderTest, platformVariant, send, startPlatform, uniqueName } from "@appserver/testing/kit";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { connectForFloods, enveloped, partOf, RawCall } from "./raw-call.ts";

const mebibyte = 1024 * 1024;
/** The memory that unauthenticated callers may make a process hold, and its normal growth during that time. */
const budgetBytes = 256 * mebibyte;
const slackBytes = 64 * mebibyte;
const strangersAreRefused = platformVariant === "production";

describe("unauthenticated callers on the gRPC port", { timeout: 120_000 }, () => {
  let platform: PlatformUnderTest;
  let session: ClientHttp2Session;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.stop());
  // A new connection for each test, because a flood leaves many unsent bytes.
  beforeEach(() => {
    session = connectForFloods(platform.grpcUrl);
  });
  afterEach(() => session.destroy());

  const residentBytes = async (): Promise<number> => {
    const { text } = await send(platform.httpUrl, "/metrics");
    const values = [...text.matchAll(/^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/gm)].map(([, value]) =>
      Number(value),
    );
    assert.ok(values.length > 0, "the metric of resident memory is missing");
    return Math.max(...values);
  };
  const assertBounded = async (before: number): Promise<void> => {
    const grown = (await residentBytes()) - before;
    assert.ok(grown <= budgetBytes + slackBytes, `grown by ${Math.round(grown / mebibyte)} MiB`);
    assert.equal((await send(platform.httpUrl, "/health")).status, 200);
  };

  test("streams of chunks under twenty unknown names are refused at the first chunk", async () => {
    const before = await residentBytes();
    const call = new RawCall(session, "RegisterAppStream");
    const header = partOf({
      case: "header",
      value: { manifest: create(AppManifestSchema, { name: uniqueName("com.example.flood") }) },
    });
    const chunk = (name: number): Buffer =>
      partOf({ case: "chunk", value: { name: `asset-${name}`, data: new Uint8Array(mebibyte) } });
    const pieces = function* () {
      yield header;
      for (let name = 0; name < 20; name += 1) for (let count = 0; count < 20; count += 1) yield chunk(name);
    };
    await call.write(pieces());
    assert.equal(await call.status, strangersAreRefused ? Code.Unauthenticated : Code.InvalidArgument);
    await assertBounded(before);
  });

  test("forty thousand empty chunks, and bare messages, are refused", async () => {
    for (const piece of [partOf({ case: "chunk", value: { name: "a" } }), partOf(undefined)]) {
      const call = new RawCall(session, "RegisterAppStream");
      await call.write([Buffer.concat(Array.from({ length: 40_000 }, () => piece))]);
      assert.equal(await call.status, Code.InvalidArgument);
    }
  });

  test("sixteen unfinished calls use at most the memory budget", async () => {
    const before = await residentBytes();
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(40 * mebibyte, 1);
    const pieces = function* () {
      yield prefix;
      for (let count = 0; count < 38; count += 1) yield Buffer.alloc(mebibyte);
    };
    const calls = Array.from({ length: 16 }, () => new RawCall(session, "GetApp"));
    await Promise.all(calls.map((call) => call.write(pieces())));
    await assertBounded(before);
    for (const call of calls)
      assert.equal(await call.status, strangersAreRefused ? Code.Unauthenticated : Code.ResourceExhausted);
  });

  test("manifests of unauthenticated callers are not validated if registration needs a token", async () => {
    const manifest = create(AppManifestSchema, { name: uniqueName("com.example.stranger") });
    const call = new RawCall(session, "ValidateManifest");
    call.stream.end(enveloped(toBinary(ValidateManifestRequestSchema, create(ValidateManifestRequestSchema, { manifest }))));
    assert.equal(await call.status, strangersAreRefused ? Code.Unauthenticated : 0);
  });
});
