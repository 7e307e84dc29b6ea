import { createHash, type KeyObject, sign } from "node:crypto";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import { type AppManifest, AppManifestSchema, UpgradeStrategy } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { around, makeCertificate } from "./certificates.ts";

/** The time at which the manifest is validated. */
export const now: number = Date.UTC(2026, 0, 15);
export const identity = await makeCertificate("rsa-2048", ...around(now));

type Init = MessageInitShape<typeof AppManifestSchema>;

/** Returns a signed asset that matches its declaration in the manifest. */
export function asset(name: string, text: string, key: KeyObject = identity.privateKey, digest: string | null = "sha256") {
  const contents = new Uint8Array(Buffer.from(text));
  return {
    name,
    mimeType: "text/javascript",
    contents,
    sha256: createHash("sha256").update(contents).digest("hex"),
    signature: new Uint8Array(sign(digest, contents, key)),
  };
}

/** Returns a manifest that uses every field of docs/interface/manifest.md and breaks no rule. */
export function validManifest(): AppManifest {
  const init: Init = {
    name: "com.example.notes",
    version: "1.2.3-rc.1+build.5",
    displayName: "Notes",
    description: "Short notes that a team shares.",
    translations: { de: { displayName: "Notizen", description: "Kurze Notizen für das Team.", titles: { Notes: "Notizen" } } },
    certificate: identity.certificate,
    minPlatformVersion: "1.0.0",
    webApp: {
      assets: [asset("remote-entry.js", "export default 1"), { ...asset("img/logo.svg", "<svg/>"), mimeType: "image/svg+xml" }],
      ui: {
        mode: UIMode.UI_MODE_FEDERATION,
        entryAssetName: "remote-entry.js",
        exposedModule: "./App",
        routeBase: "/notes",
        navigation: [
          {
            title: "Notes",
            href: "/notes",
            icon: "<svg/>",
            requiredPermissions: ["notes:read"],
            children: [{ title: "One", href: "/notes/:id", children: [{ title: "Edit", href: "/notes/:id/edit" }] }],
            metadata: { order: "1" },
          },
        ],
      },
      api: {
        basePath: "/v1",
        upstreamBaseUrl: "http://app-com.example.notes:3000",
        timeoutMs: 5000,
        forwardHeaders: ["accept-language"],
        requiredPermissions: ["notes:read"],
        defaultRateLimit: { rpm: 600, burst: 20 },
        healthCheck: { path: "/health", intervalSeconds: 10, timeoutMs: 1000, unhealthyThreshold: 3 },
        openapiUrl: "/openapi.json",
        maxBodyBytes: 1_000_000n,
        routes: [
          { pattern: "/items/**", methods: ["GET", "POST"], scopes: ["notes:read"], rateLimit: { rpm: 5 } },
          { path: "/items/{id}", methods: ["PUT"], requiredPermissions: ["notes:write"] },
          { pattern: "regex:^/reports/[0-9]{4}$", methods: ["GET"], isPublic: true },
          {
            pattern: "/limited",
            methods: ["GET"],
            rateLimit: { requests: 10, windowSeconds: 60, keyPattern: "ip:{remote_addr}" },
          },
        ],
      },
    },
    requiredPermissions: [{ scope: "clock:read", resourceType: "com.example.clock", reason: "shows the time" }],
    dependencies: [{ appName: "com.example.clock", kind: DependencyKind.SOFT, versionConstraint: ">=1.0.0 <2.0.0" }],
    settings: {
      definitions: [
        {
          key: "page.size",
          dataType: SettingDataType.INT_REQUIRED,
          required: true,
          defaultValue: "20",
          validation: { min: 1, max: 100 },
          uiHints: { inputType: "number", step: 1 },
        },
        {
          key: "greeting",
          dataType: SettingDataType.STRING,
          defaultValue: '"hi"',
          validation: { minLength: 1, maxLength: 5, pattern: "^[a-z]+$" },
          env: "GREETING",
        },
        { key: "labels", dataType: SettingDataType.KVPAIR_ARRAY, defaultValue: '[{"key":"a","value":"b"}]' },
      ],
    },
    environment: { LOG_LEVEL: "info" },
    user: "1000:1000",
    resources: { memoryMb: 256, cpuShares: 512, pids: 64 },
    replicas: { min: 2, max: 4, cpuPercent: 70 },
    upgrade: UpgradeStrategy.SIDE_BY_SIDE,
    imageDigest: `sha256:${"5".repeat(64)}`,
    hooks: [{ hookName: "app.on_create", path: "/hooks/created" }],
    activities: [{ name: "export", inputSchema: '{"type":"object"}', timeoutMs: 1000, maxRetries: 0, concurrency: 1 }],
    storage: [
      { name: "data", mountPath: "/data", size: "100Mi" },
      { name: "page-cache", mountPath: "/srv/cache", size: "1Gi" },
    ],
  };
  return create(AppManifestSchema, init);
}
