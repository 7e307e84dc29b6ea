import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type ActivityService, TriggerActivityRequestSchema } from "@appserver/contracts/proto/appserver/v2/activity";
import {
  MarketplaceService,
  RegisterAppStreamRequestSchema,
  ValidateManifestRequestSchema,
} from "@appserver/contracts/proto/appserver/v2/marketplace";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { refusalOfParts, withoutManyParts } from "./message-parts.ts";

const { validateManifest, registerAppStream } = MarketplaceService.method;
const binary = new Headers({ "content-type": "application/grpc+proto" });
const json = new Headers({ "content-type": "application/json" });
const manifest = (hooks: number) => ({ hooks: Array.from({ length: hooks }, () => ({ hookName: "a" })) });

describe("the parts of a message that holds a manifest", () => {
  test("are counted on the wire, in both encodings", () => {
    for (const [hooks, isRefused] of [
      [20_000, false],
      [60_000, true],
    ] as const) {
      const message = create(ValidateManifestRequestSchema, { manifest: manifest(hooks) });
      const bytes = toBinary(ValidateManifestRequestSchema, message);
      const text = Buffer.from(toJsonString(ValidateManifestRequestSchema, message));
      assert.equal(refusalOfParts(validateManifest, binary, bytes)?.code, isRefused ? "INVALID_REQUEST" : undefined);
      assert.equal(refusalOfParts(validateManifest, json, text)?.code, isRefused ? "INVALID_REQUEST" : undefined);
    }
  });

  test("are counted in a streamed registration as well", async () => {
    const envelopeOf = (hooks: number): Uint8Array => {
      const part = { case: "header", value: { manifest: manifest(hooks) } } as const;
      const bytes = toBinary(RegisterAppStreamRequestSchema, create(RegisterAppStreamRequestSchema, { part }));
      return Buffer.concat([Buffer.alloc(5), bytes]);
    };
    const passed = async (hooks: number): Promise<number> => {
      let count = 0;
      const envelopes = (async function* () {
        yield envelopeOf(hooks);
      })();
      for await (const _ of withoutManyParts(envelopes, registerAppStream, binary)) count += 1;
      return count;
    };
    assert.equal(await passed(20_000), 1);
    await assert.rejects(
      passed(60_000),
      (error: unknown) => error instanceof ConnectError && /50000 parts/.test(error.message),
    );
  });

  test("are not checked in malformed messages, which the decoder refuses, and in messages without a manifest", () => {
    assert.equal(refusalOfParts(validateManifest, binary, Buffer.from([0x0a, 0xff, 0xff, 0xff])), undefined);
    const values = Array.from({ length: 60_000 }, (_, index) => index);
    const bytes = toBinary(TriggerActivityRequestSchema, create(TriggerActivityRequestSchema, { input: listOf(values) }));
    const method = { input: TriggerActivityRequestSchema } as unknown as (typeof ActivityService.method)["triggerActivity"];
    assert.equal(refusalOfParts(method, binary, bytes), undefined);
  });
});

function listOf(values: readonly number[]) {
  return {
    kind: {
      case: "listValue",
      value: { values: values.map((value) => ({ kind: { case: "numberValue", value } as const })) },
    } as const,
  };
}
