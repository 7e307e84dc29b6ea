import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { signatureHeaders, signedMessage } from "@appserver/contracts/signature";
import { PushSignatureError, verifyPush } from "./hooks/verify-push.ts";
import { signRequest } from "./sign-request.ts";
import { ForwardSignatureError, forwardKey, verifyForwarded } from "./verify-forwarded.ts";

type Headers = Readonly<Record<string, string>>;

interface Received {
  readonly name: string;
  readonly secret: string;
  /** Seconds. */
  readonly now: number;
  readonly headers: Headers;
  readonly isValid: boolean;
}

interface Vectors {
  readonly forwardedRequests: readonly (Received & { readonly method: string; readonly target: string })[];
  readonly posts: readonly (Received & { readonly body: string })[];
  readonly signedRequests: {
    readonly privateKey: string;
    readonly publicKey: string;
    readonly requests: readonly {
      readonly name: string;
      readonly appName: string;
      readonly method: string;
      readonly url: string;
      readonly body: string;
      readonly headers: Headers;
    }[];
  };
}

const file = new URL("../../contracts/vectors.json", import.meta.url);
const { forwardedRequests, posts, signedRequests } = JSON.parse(readFileSync(file, "utf8")) as Vectors;

for (const { name, secret, now, method, target, headers, isValid } of forwardedRequests)
  test(`forwarded request: ${name}`, () => {
    const check = () => verifyForwarded(forwardKey(secret), { method, url: target, headers }, now * 1_000);
    if (isValid) check();
    else assert.throws(check, ForwardSignatureError);
  });

for (const { name, secret, now, headers, body, isValid } of posts)
  test(`post: ${name}`, () => {
    const check = () => verifyPush(secret, { headers, body: new TextEncoder().encode(body) }, now * 1_000);
    if (isValid) check();
    else assert.throws(check, PushSignatureError);
  });

for (const { name, headers, body: text, ...request } of signedRequests.requests)
  test(`signed request: ${name}`, () => {
    const { appName, timestamp: time, signature } = signatureHeaders;
    const timestamp = headers[time] ?? "";
    const body = new TextEncoder().encode(text);
    const privateKey = createPrivateKey(signedRequests.privateKey);
    assert.deepEqual(signRequest({ ...request, privateKey, body, at: new Date(timestamp) }), headers);
    assert.equal(headers[appName], request.appName);
    const message = signedMessage(request.method, request.url, timestamp, body);
    const publicKey = createPublicKey(signedRequests.publicKey);
    assert.ok(verify("sha256", message, publicKey, Buffer.from(headers[signature] ?? "", "base64")));
  });
