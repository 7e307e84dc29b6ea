import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AccessMode, CallerAuthenticator } from "@appserver/access";
import { registrationTokenHeader, signatureHeaders } from "@appserver/contracts/signature";
import { AppError, isAppError } from "@appserver/kernel";
import type { MarketplacePolicy } from "@appserver/marketplace";
import { ensureAppKeys } from "@appserver/sdk";
import type { GrpcCredentials } from "@appserver/transports/grpc";
import { grpcAuthenticate } from "./grpc-access.ts";

const name = "com.example.notes";
const path = "/appserver.v2.SettingsService/GetSettings";

const policyOf = (registration: MarketplacePolicy["registration"]): MarketplacePolicy => ({
  platformVersion: "0.1.0",
  registration,
  registrationToken: "the-token",
  allowUnsigned: false,
  imageRegistry: "",
  imageStage: "latest",
  maxLimits: { memoryMb: 4_096, cpuShares: 4_096, pids: 1_024 },
  keepVersions: 5,
  drainTimeoutMs: 30_000,
  crossAppApproval: "always",
});

describe("how much of a call is read, by caller", () => {
  const alice = { kind: "user", id: "alice", displayName: "Alice" } as const;
  const admission = async (
    registration: MarketplacePolicy["registration"],
    method: string,
    headers: Record<string, string> = {},
    mode: AccessMode = "required",
  ) => {
    const seen: string[] = [];
    const authenticator: Pick<CallerAuthenticator, "authenticate" | "authenticateCertificate"> = {
      authenticateCertificate: () => assert.fail("the call has no certificate"),
      authenticate: ({ header }) => {
        seen.push(...["cookie", "authorization"].filter((one) => header(one) !== undefined));
        return header("authorization") === undefined ? { kind: "anonymous" } : alice;
      },
    };
    const authenticate = grpcAuthenticate({
      authenticator: authenticator,
      mode,
      policy: policyOf(registration),
    });
    const call = { method: "POST", path: `/appserver.v2.MarketplaceService/${method}`, headers: new Headers(headers) };
    const { isProven, maxMessageBytes } = await authenticate({
      ...call,
      remoteAddress: "127.0.0.1",
      readMessage: () => assert.fail("nothing may be read"),
    });
    return { isProven, kibibytes: maxMessageBytes / 1024, seen };
  };
  const session = { authorization: "Bearer a" };
  const token = { [registrationTokenHeader]: "the-token" };

  test("anonymous callers are refused, and cookies are ignored", async () => {
    await assert.rejects(admission("token", "GetApp", { cookie: "a=b" }), { code: "AUTHENTICATION_REQUIRED" });
    assert.deepEqual(await admission("token", "GetApp", session), {
      isProven: true,
      kibibytes: 4_096,
      seen: ["authorization"],
    });
    assert.equal((await admission("token", "GetApp", {}, "optional")).kibibytes, 64);
  });

  test("a registration is read in full with the token, up to a small limit without it, and not at all with a wrong one", async () => {
    for (const method of ["RegisterApp", "RegisterAppStream"]) {
      assert.deepEqual(await admission("token", method, token), { isProven: true, kibibytes: 65_536, seen: [] });
      assert.deepEqual(await admission("token", method), { isProven: false, kibibytes: 64, seen: [] });
      assert.equal((await admission("ca", method)).kibibytes, 64);
      assert.deepEqual(await admission("open", method), { isProven: false, kibibytes: 65_536, seen: [] });
      await assert.rejects(admission("token", method, { [registrationTokenHeader]: "the-tokem" }), {
        code: "AUTHENTICATION_FAILED",
      });
    }
  });

  test("a manifest is validated for sessions, for the token, and for every caller if registration is open", async () => {
    for (const registration of ["token", "ca"] as const) {
      await assert.rejects(admission(registration, "ValidateManifest"), { code: "AUTHENTICATION_REQUIRED" });
      assert.equal((await admission(registration, "ValidateManifest", session)).kibibytes, 4_096);
      assert.equal((await admission(registration, "ValidateManifest", token)).kibibytes, 65_536);
    }
    assert.equal((await admission("open", "ValidateManifest")).isProven, false);
  });
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
  const authenticate = grpcAuthenticate({
    authenticator: authenticator,
    mode: "optional",
    policy: policyOf("open"),
  });
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
