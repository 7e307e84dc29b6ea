import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { type Logger, SystemClock, silentMetrics, silentTracer } from "@appserver/kernel";
import { HealthChecks, Origins } from "../http/index.ts";
import { anyCaller } from "../test/call-admission.ts";
import { grpcOptions } from "../test/listener-options.ts";
import { createGrpcListener, type GrpcListener, grpcService } from "./index.ts";

const clock = new SystemClock();
const secret = "s3cret-value-that-is-long";

describe("messages that cannot be read", () => {
  let listener: GrpcListener;
  let called = 0;
  let errors = 0;
  const logger: Logger = { debug() {}, info() {}, warn() {}, error: () => void errors++, child: () => logger };
  before(async () => {
    listener = createGrpcListener({
      ...grpcOptions(),
      host: "127.0.0.1",
      port: 0,
      services: [
        grpcService(SettingsService, {
          updateSettings: () => ({ settings: { version: BigInt(++called) } }),
          watchSettings: async function* () {
            yield { settings: { version: BigInt(++called) } };
          },
        }),
      ],
      authenticate: () => anyCaller,
      reauthentication: () => () => {},
      connections: { join: () => () => {} },
      health: new HealthChecks({ checks: [], clock, version: "0.1.0" }),
      origins: new Origins([]),
      logger,
      metrics: silentMetrics,
      tracer: silentTracer,
      clock,
    });
    await listener.start();
  });
  after(() => listener.stop());

  const post = async (
    type: string,
    body: Uint8Array,
    { method = "UpdateSettings", ...headers }: Record<string, string> = {},
  ): Promise<string> => {
    const url = `http://127.0.0.1:${listener.address().port}/appserver.v2.SettingsService/${method}`;
    const answer = await fetch(url, { method: "POST", headers: { "content-type": type, ...headers }, body });
    return JSON.stringify([...answer.headers]) + Buffer.from(await answer.arrayBuffer()).toString("latin1");
  };
  const enveloped = (text: string | Uint8Array): Uint8Array => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(Buffer.byteLength(text), 1);
    return Buffer.concat([head, Buffer.from(text)]);
  };
  const broken = [`{"values": {"token": ${secret}}}`, secret, `{"expectedVersion": "${secret}"}`];

  test("in JSON are refused with an error that quotes none of their content, in every protocol", async () => {
    for (const text of broken) {
      const answers = [
        await post("application/json", Buffer.from(text)),
        await post("application/json; charset=utf-8", gzipSync(text), { "content-encoding": "gzip" }),
        await post("application/grpc-web+json", enveloped(text)),
      ];
      for (const answer of answers) {
        assert.match(answer, /not(?: |%20)an(?: |%20)appserver\.v2\.UpdateSettingsRequest/);
        assert.doesNotMatch(answer, /s3cret/);
      }
      assert.match(answers[0] ?? "", /"code":"invalid_argument"/);
    }
    assert.equal(called, 0);
  });

  test("in binary are an error of the caller, not of the server, in every protocol", async () => {
    const watch = { method: "WatchSettings" };
    for (const bytes of [Buffer.from([0xff, 0xff]), Buffer.from([0x0a, 0x02, 0xff, 0xfe])]) {
      const answers = [
        await post("application/proto", bytes),
        await post("application/grpc-web+proto", enveloped(bytes)),
        await post("application/connect+proto", enveloped(bytes), watch),
        await post("application/grpc-web+proto", enveloped(bytes), watch),
      ];
      const codes = answers.map((answer) => /"code":"(\w+)"|grpc-status: ?(\d+)|"grpc-status","(\d+)"/.exec(answer));
      assert.deepEqual(
        codes.map((found) => found?.slice(1).find((code) => code !== undefined)),
        ["invalid_argument", "3", "invalid_argument", "3"],
        answers.join("\n"),
      );
    }
    assert.deepEqual([called, errors], [0, 0]);
  });

  test("valid messages with unknown fields are accepted", async () => {
    assert.match(await post("application/json", Buffer.from('{"appId": "a", "future": 1}')), /"version":"1"/);
    assert.match(await post("application/grpc-web+json", enveloped('{"appId": "a"}')), /"version":"2"/);
  });
});
