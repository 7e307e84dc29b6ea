import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign, webcrypto } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalManifest } from "@appserver/contracts/manifest";
import { type AppManifest, AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type Clock, SystemClock, silentLogger } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { ensureAppKeys, readAppKeys } from "@appserver/sdk";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createLiveApps, type LiveApps } from "../src/index.ts";

/** A newly created identity of an app. */
export interface TestIdentity {
  readonly privateKey: KeyObject;
  /** PEM */
  readonly certificate: string;
}

export async function testIdentity(name: string): Promise<TestIdentity> {
  const folder = await mkdtemp(join(tmpdir(), "appserver-keys-"));
  try {
    await ensureAppKeys(folder, name);
    return await readAppKeys(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export type ManifestInit = MessageInitShape<typeof AppManifestSchema>;

/** Returns the manifest of an API app in a platform-run container, changed by `init`. */
export function testManifest(name: string, identity: TestIdentity, init: ManifestInit = {}): AppManifest {
  const defaults: ManifestInit = {
    name,
    version: "1.0.0",
    displayName: name,
    certificate: Buffer.from(identity.certificate),
    webApp: {
      api: {
        basePath: `/api/apps/${name}`,
        upstreamBaseUrl: `http://app-${name}:3000`,
        healthCheck: { path: "/health" },
        routes: [{ pattern: "/items", methods: ["GET"], scopes: ["items:read"] }],
      },
    },
  };
  return create(AppManifestSchema, { ...defaults, ...init } as ManifestInit);
}

/** Returns an asset that matches its declaration in the manifest. */
export function testAsset(name: string, text: string, identity: TestIdentity) {
  const contents = new Uint8Array(Buffer.from(text));
  return {
    name,
    mimeType: "text/javascript",
    contents,
    sha256: createHash("sha256").update(contents).digest("hex"),
    signature: new Uint8Array(sign("sha256", contents, identity.privateKey)),
  };
}

export function signManifest(manifest: AppManifest, identity: TestIdentity): Uint8Array {
  return new Uint8Array(sign("sha256", canonicalManifest(manifest), identity.privateKey));
}

/**
 * Returns a certificate for a new key, issued by the holder of `old`. With it, an app moves to another key without an
 * administrator.
 */
export async function successorOf(old: TestIdentity, name: string, issuer: string = name): Promise<TestIdentity> {
  await import("reflect-metadata");
  const { X509CertificateGenerator } = await import("@peculiar/x509");
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const pkcs8 = old.privateKey.export({ type: "pkcs8", format: "der" });
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomUUID().replaceAll("-", ""),
    subject: `CN=${name}`,
    issuer: `CN=${issuer}`,
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    publicKey: await webcrypto.subtle.importKey("spki", spki, algorithm, true, ["verify"]),
    signingKey: await webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, true, ["sign"]),
  });
  return { privateKey, certificate: certificate.toString("pem") };
}

/** Returns the object with other methods. */
export function withMethods<T extends object>(original: T, methods: Partial<T>): T {
  return new Proxy(original, {
    get: (target, key) => {
      const value: unknown = Reflect.get(key in methods ? methods : target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Returns the apps of a process that receives no events. */
export function liveAppsOn(database: Database, clock: Clock = new SystemClock()): LiveApps {
  const broker = { observe: async () => ({ close: async () => {} }) };
  return createLiveApps({ database, broker, clock, logger: silentLogger });
}
