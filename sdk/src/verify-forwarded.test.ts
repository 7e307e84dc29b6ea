import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { forwardSignature } from "@appserver/contracts/forwarding";
import { ForwardSignatureError, forwardKey, type ReceivedRequest, verifyForwarded } from "./verify-forwarded.ts";

const secret = Buffer.alloc(32, 7);
const key = createSecretKey(secret);
const now = 1_750_000_000_000;
const signed = { method: "POST", target: "/notes?a=b%20c&d=%2F", userId: "alice", appName: "" };

function received(changes: Partial<ReceivedRequest> = {}, headers: ReceivedRequest["headers"] = {}): ReceivedRequest {
  const signature = forwardSignature(key, now / 1_000, signed);
  const own = { "x-appserver-signature": signature, "x-user-id": signed.userId };
  return { method: signed.method, url: signed.target, ...changes, headers: { ...own, ...headers } };
}

const refused = (reason: RegExp) => (error: unknown) => error instanceof ForwardSignatureError && reason.test(error.message);

test("the signature has the documented value", () => {
  const value = forwardSignature(key, 1_750_000_000, signed);
  assert.equal(value, "t=1750000000;v1=XT0JASgTlTqxmKTpFCnS424zSZiXIYKdE0oIRfCMklg=");
});

test("a signed request is accepted for 60 s before and after its time, and refused after that", () => {
  for (const offset of [0, 60_000, -60_000]) verifyForwarded(key, received(), now + offset);
  for (const offset of [60_001, -60_001, 3_600_000]) {
    assert.throws(() => verifyForwarded(key, received(), now + offset), refused(/differs from the clock by more than 60 s/));
  }
});

test("one altered byte of method, target, user id, app name, time or signature is refused", () => {
  const { "x-appserver-signature": signature = "" } = received().headers;
  const altered = [
    received({ method: "PUT" }),
    received({ url: "/notes?a=b%20c&d=%2f" }),
    received({ url: "/notes?a=b%20c" }),
    received({}, { "x-user-id": "alicf" }),
    received({}, { "x-user-id": undefined, "x-app-name": "alice" }),
    received({}, { "x-app-name": "com.example.clock" }),
    received({}, { "x-appserver-signature": String(signature).replace("t=1750000000", "t=1750000001") }),
    received({}, { "x-appserver-signature": String(signature).replace(/.=$/, (end) => (end === "A=" ? "E=" : "A=")) }),
  ];
  for (const request of altered) {
    assert.throws(() => verifyForwarded(key, request, now), refused(/does not match/), JSON.stringify(request));
  }
});

test("the id of a service account is signed as a text of its own", () => {
  const signature = forwardSignature(key, now / 1_000, { ...signed, userId: "", machineId: "m-1" });
  const machine = { "x-appserver-signature": signature, "x-user-id": undefined, "x-machine-id": "m-1" };
  verifyForwarded(key, received({}, machine), now);
  for (const forged of [
    { "x-machine-id": "m-2" },
    { "x-machine-id": undefined },
    { "x-machine-id": undefined, "x-user-id": "m-1" },
    { "x-user-id": "alice" },
  ])
    assert.throws(() => verifyForwarded(key, received({}, { ...machine, ...forged }), now), refused(/does not match/));
  assert.throws(() => verifyForwarded(key, received({}, { "x-machine-id": "m-1" }), now), refused(/does not match/));
});

test("the name and the address of a user are signed as texts of their own", () => {
  const person = { userName: "Ada%20L", userEmail: "ada%40example.com" };
  const value = forwardSignature(key, now / 1_000, { ...signed, ...person });
  assert.equal(value, "t=1750000000;v1=UTg5ERf+/kmEikDOWpGOHBS+331N6j8cJCwty8q6eok=");
  const named = { "x-appserver-signature": value, "x-user-name": person.userName, "x-user-email": person.userEmail };
  verifyForwarded(key, received({}, named), now);
  for (const forged of [
    { "x-user-name": "Ada%20M" },
    { "x-user-name": undefined },
    { "x-user-email": undefined },
    { "x-user-email": "eve%40example.com" },
    { "x-user-name": person.userEmail, "x-user-email": person.userName },
    { "x-user-name": undefined, "x-user-email": undefined, "x-machine-id": person.userName },
  ])
    assert.throws(() => verifyForwarded(key, received({}, { ...named, ...forged }), now), refused(/does not match/));
  assert.throws(() => verifyForwarded(key, received({}, { "x-user-name": "Eve" }), now), refused(/does not match/));
});

test("an empty or repeated identity header is refused, because no header would have the same signature", () => {
  const signature = forwardSignature(key, now / 1_000, { ...signed, userId: "" });
  const anonymous = { "x-appserver-signature": signature, "x-user-id": undefined };
  verifyForwarded(key, received({}, anonymous), now);
  for (const name of ["x-user-id", "x-app-name", "x-machine-id", "x-user-name", "x-user-email"]) {
    assert.throws(() => verifyForwarded(key, received({}, { ...anonymous, [name]: "" }), now), refused(/empty or repeated/));
    assert.throws(() => verifyForwarded(key, received({}, { ...anonymous, [name]: ["", ""] }), now), refused(/repeated/));
  }
});

test("a missing or malformed header is refused", () => {
  const { "x-appserver-signature": signature = "" } = received().headers;
  assert.throws(() => verifyForwarded(key, received({}, { "x-appserver-signature": undefined }), now), refused(/is missing/));
  for (const value of [
    "",
    "v1=x",
    `${signature}, ${signature}`,
    `${signature} `,
    "t=;v1=",
    `t=1750000000,v1=${"A".repeat(43)}=`,
  ]) {
    assert.throws(
      () => verifyForwarded(key, received({}, { "x-appserver-signature": value }), now),
      refused(/not of the form/),
    );
  }
});

test("the key is read from the file's text or from a push secret; other texts are a RangeError", () => {
  assert.ok(forwardKey(`${secret.toString("base64")}\n`).equals(key));
  assert.ok(forwardKey(`whsec_${secret.toString("base64")}`).equals(key));
  for (const text of ["", "short", secret.toString("base64").slice(4), "whsec_"])
    assert.throws(() => forwardKey(text), RangeError);
});
