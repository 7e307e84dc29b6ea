import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, describe, test } from "node:test";
import { type DeviceAuthorizationRequest, devicePaths, sealFor } from "@appserver/contracts/command-line";
import { Refusal } from "../../refusal.ts";
import { requestSession } from "./request-session.ts";

type Reply = readonly [status: number, body: object] | "lost";

describe("appctl login --device", () => {
  let server: Server;
  let http: string;
  /** Of the platform to the polls, in turn. */
  let replies: Reply[];
  let asked: DeviceAuthorizationRequest;
  let received: (readonly [path: string, authorization: string | undefined, body: string])[];
  let waits: number[];
  before(async () => {
    server = createServer((request, response) => void respond(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server?.close());
  beforeEach(() => {
    received = [];
    waits = [];
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await replyTo(request);
    if (reply === "lost") request.socket.destroy();
    else response.writeHead(reply[0], { "content-type": "application/json" }).end(JSON.stringify(reply[1]));
  }

  async function replyTo(request: IncomingMessage): Promise<Reply> {
    const { url = "", headers } = request;
    const body = await text(request);
    received.push([url, headers.authorization, body]);
    if (url === devicePaths.token) return replies.shift() ?? [400, { error: "expired_token" }];
    asked = JSON.parse(body) as DeviceAuthorizationRequest;
    const uri = `${http}${devicePaths.page}`;
    const codes = { device_code: "the device code", user_code: "WDJB-MJHT" };
    const whole = `${uri}?user_code=WDJB-MJHT`;
    return [200, { ...codes, verification_uri: uri, verification_uri_complete: whole, expires_in: 600, interval: 5 }];
  }

  async function run(show: (text: string) => void = () => {}): Promise<string> {
    const options = { http, grpc: http, json: false, token: "an earlier session" };
    return await requestSession(options, show, async (ms) => {
      waits.push(ms);
    });
  }

  const pending: Reply = [400, { error: "authorization_pending" }];
  /** The session for the key of the request, which is known by then. */
  const allowed: Reply = [
    200,
    {
      get session() {
        return sealFor(asked.key, "the token");
      },
    },
  ];

  test("shows address and code, polls at the interval, and decrypts the session", async () => {
    replies = [pending, pending, allowed];
    let shown = "";
    const token = await run((part) => {
      shown += part;
    });
    assert.equal(token, "the token");
    assert.match(shown, /within 10 minutes:\n\n {2}http\S+\/console\/device\n\n.* code WDJB-MJHT\./);
    assert.ok(!shown.includes("the device code"));
    assert.deepEqual(waits, [5_000, 5_000, 5_000]);
    assert.deepEqual(
      received.map(([, authorization]) => authorization),
      Array(4).fill(undefined),
      "no session is sent",
    );
    assert.deepEqual(received.at(-1)?.slice(0, 1).concat(received.at(-1)?.[2]), [
      devicePaths.token,
      '{"device_code":"the device code"}',
    ]);
    assert.ok(asked.device.length > 0);
  });

  test("polls more slowly if the platform says so, has a fault, or does not respond", async () => {
    replies = [[400, { error: "slow_down" }], pending, [503, { error: "x", code: "SERVICE_UNAVAILABLE" }], "lost", allowed];
    assert.equal(await run(), "the token");
    assert.deepEqual(waits, [5_000, 10_000, 10_000, 15_000, 20_000]);
  });

  test("ends when the session is denied, the code has expired, or the platform refuses the request", async () => {
    replies = [pending, [400, { error: "access_denied" }]];
    await assert.rejects(run(), /denied in the browser: nothing is stored/);
    replies = [[400, { error: "expired_token" }]];
    await assert.rejects(run(), /expired: run `appctl login --device` again/);
    replies = Array(200).fill(pending);
    await assert.rejects(run(), /expired/);
    assert.ok(waits.length < 130, "also if the platform never says it");
    replies = [[403, { error: "not from here", code: "PERMISSION_DENIED" }]];
    await assert.rejects(run(), Refusal);
  });

  test("a session for another key is not used", async () => {
    replies = [[200, { session: "AAAA" }]];
    await assert.rejects(run(), /sent no session for this request/);
  });
});
