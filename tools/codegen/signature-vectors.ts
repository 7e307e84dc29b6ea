import { createPrivateKey, createPublicKey, createSecretKey } from "node:crypto";
import { forwardSignature, forwardSignatureHeader, forwardSignatureToleranceSeconds } from "@appserver/contracts/forwarding";
import { pushKey, signedPost, webhookHeaders, webhookSecret, webhookToleranceSeconds } from "@appserver/contracts/webhooks";
import { forwardKey, signRequest } from "@appserver/sdk";
import { vectorKey } from "./vector-key.ts";

const at = Date.UTC(2026, 0, 31, 12);
const now = at / 1_000;
const appName = "com.example.notes";
const bytes = (first: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, index) => first + index);
const deploymentSecret = Buffer.from(bytes(0)).toString("base64");
const platformKey = bytes(100);
const pushSecret = webhookSecret(pushKey(platformKey, appName));

type Headers = Readonly<Record<string, string>>;

interface Forwarded {
  readonly name: string;
  readonly secret?: string;
  readonly method?: string;
  readonly target?: string;
  readonly user?: string;
  readonly app?: string;
  readonly machine?: string;
}

/** What a backend receives of a request that the platform forwards. */
function forwarded({
  name,
  secret = deploymentSecret,
  method = "GET",
  target = "/notes?after=1",
  user,
  app,
  machine,
}: Forwarded) {
  const signed = { method, target, userId: user ?? "", appName: app ?? "", machineId: machine };
  const headers: Headers = {
    ...(user === undefined ? {} : { "x-user-id": user }),
    ...(app === undefined ? {} : { "x-app-name": app }),
    ...(machine === undefined ? {} : { "x-machine-id": machine }),
    [forwardSignatureHeader]: forwardSignature(forwardKey(secret), now, signed),
  };
  return { name, secret, now, method, target, headers, isValid: true };
}

type ForwardedVector = ReturnType<typeof forwarded>;

function refused<V extends { readonly name: string }>(vector: V, name: string, changes: Partial<V>): V {
  return { ...vector, ...changes, name, isValid: false };
}

function forwardedVectors(): readonly ForwardedVector[] {
  const ofUser = forwarded({ name: "a request of a user", user: "user-1" });
  const { headers } = ofUser;
  const far = forwardSignatureToleranceSeconds;
  return [
    ofUser,
    forwarded({ name: "a request of an app", method: "POST", target: "/", app: "com.example.clock" }),
    forwarded({ name: "a request of a service account", machine: "01980000-0000-7000-8000-000000000001" }),
    forwarded({ name: "a request without a caller", target: "/public/%C3%A9?x=%20" }),
    forwarded({ name: "a backend outside of the platform, which has the push secret", secret: pushSecret, user: "user-1" }),
    { ...ofUser, name: "as old as it may be", now: now + far },
    refused(ofUser, "too old", { now: now + far + 1 }),
    refused(ofUser, "from the future", { now: now - far - 1 }),
    refused(ofUser, "another user", { headers: { ...headers, "x-user-id": "user-2" } }),
    refused(ofUser, "an app as well", { headers: { ...headers, "x-app-name": "com.example.clock" } }),
    refused(forwarded({ name: "" }), "an empty user", { headers: { ...forwarded({ name: "" }).headers, "x-user-id": "" } }),
    refused(ofUser, "another method", { method: "DELETE" }),
    refused(ofUser, "another target", { target: "/notes?after=2" }),
    refused(ofUser, "another secret", { secret: Buffer.from(bytes(50)).toString("base64") }),
    refused(ofUser, "no signature", { headers: { "x-user-id": "user-1" } }),
    refused(ofUser, "another form", { headers: { ...headers, [forwardSignatureHeader]: "v1=x" } }),
  ];
}

/** What a backend receives of a posted hook, or of a posted run. */
function posted(name: string, id: string, target: string, value: object) {
  const body = JSON.stringify(value);
  const message = { appName, id, body: new TextEncoder().encode(body), userAgent: "appserver", traceparent: undefined };
  const { headers } = signedPost(message, [platformKey], at, { key: createSecretKey(bytes(0)), target });
  return { name, secret: pushSecret, now, target, headers, body, isValid: true };
}

function postVectors() {
  const id = "01980000-0000-7000-8000-000000000002";
  const timestamp = new Date(at).toISOString();
  const event = {
    type: "com.example.clock.tick",
    timestamp,
    id,
    sourceApp: "com.example.clock",
    orderingKey: null,
    attempt: 1,
  };
  const hook = posted("a hook", id, "/hooks/tick", { ...event, data: { text: "é" } });
  const { headers, body } = hook;
  const signature = headers[webhookHeaders.signature] ?? "";
  const far = webhookToleranceSeconds;
  return [
    hook,
    posted("a run of an activity", id, "/runs/count", { id, activity: "count", attempt: 1, timeoutMs: 900_000, input: null }),
    {
      ...hook,
      name: "one of two signatures",
      headers: { ...headers, [webhookHeaders.signature]: `v1,${"A".repeat(43)}= ${signature}` },
    },
    { ...hook, name: "as old as it may be", now: now + far },
    refused(hook, "too old", { now: now + far + 1 }),
    refused(hook, "another body", { body: body.replace("é", "e") }),
    refused(hook, "another id", { headers: { ...headers, [webhookHeaders.id]: "01980000-0000-7000-8000-000000000003" } }),
    refused(hook, "another time", { headers: { ...headers, [webhookHeaders.timestamp]: String(now - 1) } }),
    refused(hook, "another secret", { secret: webhookSecret(pushKey(platformKey, "com.example.clock")) }),
  ];
}

/** What an app sends. */
function signedRequestVectors() {
  const privateKey = createPrivateKey({ key: Buffer.from(vectorKey, "base64"), format: "der", type: "pkcs8" });
  const request = (name: string, method: string, url: string, body: string) => {
    const headers = signRequest({ appName, privateKey, method, url, body: new TextEncoder().encode(body), at: new Date(at) });
    return { name, appName, method, url, body, headers };
  };
  const secretPath = "/appserver.v2.HooksService/GetPushSecret";
  return {
    privateKey: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    publicKey: String(createPublicKey(privateKey).export({ type: "spki", format: "pem" })),
    requests: [
      request("a read", "GET", "/api/v2/apps/com.example.clock?x=%20", ""),
      request("a command", "POST", "/api/v2/hooks/com.example.notes.created/trigger", '{"data":{"text":"é"}}'),
      request("a method in lower case", "put", "/api/apps/com.example.clock/hands", "{}"),
      request("a call of gRPC, in JSON", "POST", secretPath, "{}"),
    ],
  };
}

/**
 * Returns the test vectors of the signatures between the platform and apps (docs/interface/signatures.md#test-vectors), made by the code
 * of the platform. Times are seconds since the epoch.
 */
export function generateSignatureVectors(): string {
  const vectors = {
    description: "Test vectors of Appserver: the signatures between the platform and apps. The keys are for tests only.",
    forwardedRequests: forwardedVectors(),
    posts: postVectors(),
    signedRequests: signedRequestVectors(),
  };
  return `${JSON.stringify(vectors, null, 2)}\n`;
}
