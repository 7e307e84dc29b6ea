import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { UIMode } from "@appserver/contracts/proto/appserver/v2/ui";
import { create, toJson } from "@bufbuild/protobuf";
import { cloneManifest } from "./clone-manifest.ts";

const [name, clone, other] = ["com.example.notes", "com.example.copy", "com.example.notes2"];
const digest = `sha256:${"0".repeat(64)}`;

function link(href: string, icon: string) {
  return { title: "Notes", href, icon };
}

test("a clone has the name in its paths, and nothing that others call or that calls others", () => {
  const original = create(AppManifestSchema, {
    name,
    version: "1.2.0",
    hooks: [{ hookName: "app.maintenance", path: "/hook" }],
    activities: [{ name: "tidy", timeoutMs: 1_000, schedule: { cron: "* * * * *" } }],
    dependencies: [{ appName: other, kind: 1 }],
    requiredPermissions: [
      { scope: "notes:read", resourceType: name, reason: "own" },
      { scope: "notes:read", resourceType: other, reason: "of another app" },
      { scope: "log:read", resourceType: "platform", reason: "of the platform" },
    ],
    webApp: {
      ui: {
        mode: UIMode.UI_MODE_FEDERATION,
        routeBase: "/notes/",
        navigation: [
          { ...link("/notes", `/apps/${name}/assets/a.svg`), children: [link("/notes/new", `/api/apps/${name}/icon`)] },
          link("/notes-of-others", `/apps/${other}/assets/a.svg`),
        ],
      },
      api: { basePath: `/api/apps/${name}/v1`, upstreamBaseUrl: `http://app-${name}:3000/x`, openapiUrl: "/openapi.json" },
    },
  });
  const before = toJson(AppManifestSchema, original);
  const manifest = cloneManifest(original, clone, digest);
  assert.deepEqual(toJson(AppManifestSchema, manifest), {
    name: clone,
    version: "1.2.0",
    displayName: `${name} (clone)`,
    imageDigest: digest,
    activities: [{ name: "tidy", timeoutMs: 1_000 }],
    requiredPermissions: [{ scope: "notes:read", resourceType: clone, reason: "own" }],
    webApp: {
      ui: {
        mode: "UI_MODE_FEDERATION",
        routeBase: `/${clone}`,
        navigation: [
          {
            ...link(`/${clone}`, `/apps/${clone}/assets/a.svg`),
            children: [link(`/${clone}/new`, `/api/apps/${clone}/icon`)],
          },
          link("/notes-of-others", `/apps/${other}/assets/a.svg`),
        ],
      },
      api: { basePath: `/api/apps/${clone}/v1`, upstreamBaseUrl: `http://app-${clone}:3000/x`, openapiUrl: "/openapi.json" },
    },
  });
  assert.deepEqual(toJson(AppManifestSchema, original), before);
});

test("paths of no app and a backend elsewhere stay", () => {
  const original = create(AppManifestSchema, {
    name,
    displayName: "x".repeat(100),
    webApp: { api: { basePath: "/", upstreamBaseUrl: "https://notes.example" } },
  });
  const { webApp, displayName } = cloneManifest(original, clone, digest);
  assert.deepEqual([webApp?.api?.basePath, webApp?.api?.upstreamBaseUrl], ["/", "https://notes.example"]);
  assert.equal(displayName, `${"x".repeat(92)} (clone)`);
});
