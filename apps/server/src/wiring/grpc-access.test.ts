import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { CallerAuthenticator } from "@appserver/access";
import { registrationTokenHeader, signatureHeaders } from "@appserver/contracts/signature";
import { AppError, isAppError } from "@appserver/kernel";
import type { MarketplacePolicy } from "@appserver/marketplace";
import { ensureAppKeys } from "@appserver/sdk";
import type { GrpcCredentials } from "@appserver/transports/grpc";
import { grpcAuthenticate } from "./grpc-access.ts";

const name = "com.example.notes";
const path = "/appserver.v2.SettingsService/GetSettings";

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
  const folder = mkdtempSync(join(tmpdir(), "appserver-client-certificates-"));
  let own: X509Certificate;
  let other: X509Certificate;

  before(async () => {
    own = new X509Certificate((await ensureAppKeys(join(folder, "own"), name)).certificate);
    // The certificate has the same name but another key: any client can create such a certificate.
    other = new X509Certificate((await ensureAppKeys(join(folder, "other"), name)).certificate);
  });
  after(() => rmSync(folder, { recursive: true }));

  const authenticator: Pick<CallerAuthenticator, "authenticate" | "authenticateCertificate"> = {
    authenticate: () => ({ kind: "anonymous" }),
    authenticateCertificate: async (appName, publicKey) => {
      if (appName !== name || !own.publicKey.equals(publicKey)) throw new AppError("AUTHENTICATION_FAILED", "another key");
      return { kind: "app", name, id: "the-id" };
    },
  };
  const authenticate = grpcAuthenticate({ authenticator, mode: "optional", policy });
  const callerOf = async (clientCertificate: X509Certificate, headers: Record<string, string>, method = path) => {
    const credentials = { clientCertificate, headers: new Headers(headers), path: method, method: "POST" };
    return (await authenticate(credentials as GrpcCredentials)).caller;
  };
  const isRefused = (error: unknown): boolean => isAppError(error, "AUTHENTICATION_FAILED");

  test("a connection with the registered key authenticates the app that the call names", async () => {
    assert.deepEqual(await callerOf(own, { [signatureHeaders.appName]: name }), { kind: "app", name, id: "the-id" });
  });

  test("another key is refused, whatever name its certificate has", async () => {
    await assert.rejects(callerOf(other, { [signatureHeaders.appName]: name }), isRefused);
    await assert.rejects(callerOf(own, { [signatureHeaders.appName]: "com.example.clock" }), isRefused);
  });

  test("a certificate without an app name authenticates no caller, and can register without acting as an app", async () => {
    assert.deepEqual(await callerOf(own, {}), { kind: "anonymous" });
    const register = "/appserver.v2.MarketplaceService/RegisterApp";
    assert.deepEqual(await callerOf(own, { [signatureHeaders.appName]: name }, register), { kind: "anonymous" });
  });

  test("a signature takes precedence over the certificate", async () => {
    const headers = { [signatureHeaders.appName]: name, [signatureHeaders.signature]: "AAAA" };
    assert.deepEqual(await callerOf(own, headers), { kind: "anonymous" });
  });
});
