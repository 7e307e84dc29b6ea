import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { describe, test } from "node:test";
import { timestampPattern } from "@appserver/contracts/signature";
import { signRequest } from "./sign-request.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const at = new Date("2026-01-31T12:00:00.250Z");
const request = { appName: "com.example.clock", privateKey, url: "/api/apps/com.example.notes/notes?limit=1", at };

const isSigned = (headers: Record<string, string>, message: string): boolean =>
  verify("sha256", Buffer.from(message), publicKey, Buffer.from(headers["x-app-signature"] ?? "", "base64"));

describe("signRequest", () => {
  test("covers method, url, timestamp and body in this order", () => {
    const headers = signRequest({ ...request, method: "post", body: Buffer.from('{"text":"tea"}') });
    assert.deepEqual(Object.keys(headers).sort(), ["x-app-name", "x-app-signature", "x-request-timestamp"]);
    assert.equal(headers["x-app-name"], "com.example.clock");
    assert.equal(headers["x-request-timestamp"], "2026-01-31T12:00:00.250Z");
    const message = `POST${request.url}2026-01-31T12:00:00.250Z{"text":"tea"}`;
    assert.equal(isSigned(headers, message), true);
    assert.equal(isSigned(headers, message.replace("tea", "teb")), false);
  });

  test("uses the current time by default", () => {
    const { at: _, ...now } = request;
    const before = Date.now();
    const headers = signRequest({ ...now, method: "GET", body: new Uint8Array(0) });
    const timestamp = headers["x-request-timestamp"] ?? "";
    assert.match(timestamp, timestampPattern);
    assert.ok(Date.parse(timestamp) >= before);
    assert.equal(isSigned(headers, `GET${request.url}${timestamp}`), true);
  });
});
