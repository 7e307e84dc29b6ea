import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallerAuthenticator } from "@appserver/access";
import { registrationTokenHeader, signatureHeaders } from "@appserver/contracts/signature";
import type { MarketplacePolicy } from "@appserver/marketplace";
import type { GrpcCredentials } from "@appserver/transports/grpc";
import { grpcAuthenticate } from "./grpc-access.ts";

const policy = { registration: "token", registrationToken: "the-token" } as MarketplacePolicy;

test("cookies are ignored, and registrations are admitted by their token", async () => {
  const admitted = async (method: string, headers: Record<string, string>) => {
    const authenticator: Pick<CallerAuthenticator, "authenticate" | "authenticateCertificate"> = {
      authenticateCertificate: () => assert.fail("the call has no certificate"),
      authenticate: ({ header }) => (header("cookie") === undefined ? { kind: "anonymous" } : assert.fail("a cookie")),
    };
    const { maxMessageBytes } = await grpcAuthenticate({ authenticator, mode: "required", policy })({
      method: "POST",
      path: `/appserver.v2.MarketplaceService/${method}`,
      headers: new Headers({ cookie: "a=b", ...headers }),
      remoteAddress: "127.0.0.1",
      readMessage: () => assert.fail("nothing may be read"),
    });
    return maxMessageBytes / 1_024;
  };
  await assert.rejects(admitted("GetApp", {}), { code: "AUTHENTICATION_REQUIRED" });
  await assert.rejects(admitted("ValidateManifest", {}), { code: "AUTHENTICATION_REQUIRED" });
  for (const method of ["RegisterApp", "RegisterAppStream"]) {
    assert.equal(await admitted(method, {}), 64);
    assert.equal(await admitted(method, { [registrationTokenHeader]: "the-token" }), 65_536);
    await assert.rejects(admitted(method, { [registrationTokenHeader]: "the-tokem" }), { code: "AUTHENTICATION_FAILED" });
  }
});

describe("callers of gRPC by client certificate", () => {
  const authenticator: Pick<CallerAuthenticator, "authenticate" | "authenticateCertificate"> = {
    authenticate: () => ({ kind: "anonymous" }),
    authenticateCertificate: async (appName, key) => ({ kind: "app", name: appName, id: String(key) }),
  };
  const authenticate = grpcAuthenticate({ authenticator, mode: "optional", policy });
  const callerOf = async (headers: Record<string, string>, method = "SettingsService/GetSettings") => {
    const credentials = { headers: new Headers(headers), path: `/appserver.v2.${method}`, method: "POST" };
    const clientCertificate = { publicKey: "its key" };
    return (await authenticate({ ...credentials, clientCertificate } as unknown as GrpcCredentials)).caller;
  };
  const named = { [signatureHeaders.appName]: "com.example.notes" };

  test("a connection with a certificate authenticates the app that the call names", async () => {
    assert.deepEqual(await callerOf(named), { kind: "app", name: "com.example.notes", id: "its key" });
  });

  test("a certificate without an app name authenticates no caller, and can register without acting as an app", async () => {
    assert.deepEqual(await callerOf({}), { kind: "anonymous" });
    assert.deepEqual(await callerOf(named, "MarketplaceService/RegisterApp"), { kind: "anonymous" });
  });

  test("a signature takes precedence over the certificate", async () => {
    assert.deepEqual(await callerOf({ ...named, [signatureHeaders.signature]: "AAAA" }), { kind: "anonymous" });
  });
});
