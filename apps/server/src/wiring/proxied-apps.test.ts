import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { describe, test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import type { MissingForwardKey } from "@appserver/hooks";
import type { LiveApp, LiveApps } from "@appserver/marketplace";
import { create } from "@bufbuild/protobuf";
import { desiredApps } from "./desired-apps.ts";
import { createForwardKeys } from "./forward-keys.ts";
import { proxiedApps } from "./proxied-apps.ts";

const upstreamBaseUrl = "https://notes.example.com:8443/base";
const record = { id: "1", name: "com.example.notes", state: "RUNNING", enabled: true, endpoint: "http://172.17.0.2:3000" };
const manifest = create(AppManifestSchema, {
  name: record.name,
  settings: {
    definitions: [{ key: "docker.image.stage", dataType: SettingDataType.STRING, defaultValue: '"testing"' }],
  },
});

/** An app whose container renders its pages and whose API runs elsewhere. */
const installed = {
  app: record,
  manifest,
  placement: { needsContainer: true, api: "external" },
  api: { upstreamBaseUrl, basePath: "/api/apps/com.example.notes", forwardHeaders: [], requiredPermissions: [], routes: [] },
} as unknown as LiveApp;
const apps = {
  get: () => installed,
  current: async () => installed,
  allCurrent: async () => [installed],
} as unknown as LiveApps;
const keys = { of: () => createSecretKey(Buffer.alloc(32)) };
const noApprovals = { has: async () => false };
const stages = (stored: ReadonlyMap<string, string>) => ({
  all: async () => stored,
  find: async (id: string) => stored.get(id),
});

describe("an app that renders its pages in a container and has its API elsewhere", () => {
  test("is proxied to its API", () => {
    const proxied = proxiedApps(apps, { maxBodyBytes: 1_000 }, keys).get(record.name);
    assert.deepEqual(proxied?.upstream, { url: upstreamBaseUrl, managed: false });
  });

  test("has a container that does not listen on the API's port", async () => {
    const desired = await desiredApps(apps, stages(new Map()), noApprovals).get(record.name);
    assert.deepEqual([desired?.needsContainer, desired?.upstreamPort, desired?.healthCheck], [true, 3000, undefined]);
  });
});

/** The app with its API in a container. */
const contained = (changes: object) => ({
  ...apps,
  get: () => ({
    ...installed,
    placement: { needsContainer: true, api: "container" },
    app: { ...record, generation: 3, ...changes },
  }),
});
const target = { generation: 4, strategy: "replace", holdsRequests: true };

test("requests to an app are held while its container is replaced, unless it is disabled", () => {
  const routed = (changes: object) => {
    const app = proxiedApps(contained(changes) as unknown as LiveApps, { maxBodyBytes: 1_000 }, keys).get(record.name);
    return [app?.generation, app?.availability];
  };
  assert.deepEqual(routed({}), [3, "serving"]);
  assert.deepEqual(routed({ target: { ...target, holdsRequests: undefined } }), [3, "serving"]);
  assert.deepEqual(routed({ target }), [4, { unavailable: "upgrading", isHeld: true }]);
  assert.deepEqual(routed({ target, endpoint: undefined, state: "UNHEALTHY" }), [
    4,
    { unavailable: "upgrading", isHeld: true },
  ]);
  assert.deepEqual(routed({ target, enabled: false }), [4, { unavailable: "disabled" }]);
});

test("the image stage is the stored one, or else the default that the manifest declares", async () => {
  const stageOf = async (stored: ReadonlyMap<string, string>) => {
    const desired = desiredApps(apps, stages(stored), noApprovals);
    const [listed] = await desired.all();
    const found = await desired.get(record.name);
    assert.equal(listed?.imageStage, found?.imageStage);
    return found?.imageStage;
  };
  assert.equal(await stageOf(new Map([["1", "pre-release"]])), "pre-release");
  assert.equal(await stageOf(new Map()), "testing");
});

describe("an app that switches to another release", () => {
  const target = {
    version: "2.0.0",
    revision: 1,
    manifestDigest: "two",
    imageDigest: "sha256:two",
    generation: 4,
    operationId: "operation",
    strategy: "replace",
  };
  const switching = {
    ...installed,
    app: { ...record, version: "1.0.0", manifestDigest: "one", imageDigest: "sha256:one", generation: 3, target },
    target: {
      manifest,
      placement: { needsContainer: true, api: "container" },
      api: { upstreamBaseUrl: "http://app-com.example.notes:8080", healthCheck: { path: "/health" } },
    },
  } as unknown as LiveApp;
  const switchingApps = { current: async () => switching } as unknown as LiveApps;

  test("is desired with both releases", async () => {
    const desired = await desiredApps(switchingApps, stages(new Map()), noApprovals).get(record.name);
    assert.partialDeepStrictEqual(desired, {
      version: "1.0.0",
      manifestDigest: "one",
      imageDigest: "sha256:one",
      generation: 3,
    });
    const { revision: _revision, ...release } = target;
    assert.partialDeepStrictEqual(desired?.next, {
      ...release,
      needsContainer: true,
      upstreamPort: 8080,
      healthCheck: { path: "/health" },
      imageStage: "testing",
    });
  });
});

describe("an app that runs as root", () => {
  const asRoot = { ...installed, manifest: create(AppManifestSchema, { ...manifest, user: "0:0" }) };
  const switching = { ...installed, app: { ...record, target }, target: { ...asRoot, manifest: asRoot.manifest } };
  const of = async (live: object, isApproved: boolean) => {
    const approved = { has: async (id: string, scope: string) => isApproved && id === record.id && scope === "container:root" };
    const known = { current: async () => live, allCurrent: async () => [live] } as unknown as LiveApps;
    const desired = desiredApps(known, stages(new Map()), approved);
    const [listed] = await desired.all();
    const found = await desired.get(record.name);
    assert.equal(listed?.unapproved, found?.unapproved);
    return [found?.unapproved, found?.next?.unapproved];
  };

  test("may not run without an approval of container:root, whether the release serves or is the next one", async () => {
    assert.deepEqual(await of(asRoot, false), ["container:root", undefined]);
    assert.deepEqual(await of(switching, false), [undefined, "container:root"]);
    for (const live of [asRoot, switching]) assert.deepEqual(await of(live, true), [undefined, undefined]);
    assert.deepEqual(await of(installed, false), [undefined, undefined]);
  });
});

describe("a deployment whose secret this server does not have", () => {
  const identities = (missing: MissingForwardKey) => ({
    forwardKey: (appId: string, generation: number) =>
      appId === record.id && generation === 3 ? missing : createSecretKey(Buffer.alloc(32)),
  });
  const of = (live: object, missing: MissingForwardKey) => {
    const known = live as unknown as LiveApps;
    const keys = createForwardKeys({ apps: known, identities: identities(missing), platformKey: Buffer.alloc(32) });
    return proxiedApps(known, { maxBodyBytes: 1_000 }, keys).get(record.name);
  };

  test("gets no request until the secret has arrived, and none if the secret cannot be opened", () => {
    assert.deepEqual(of(contained({}), "awaited")?.availability, { unavailable: "starting", isHeld: true });
    const refused = { unavailable: "secret_unreadable", retryAfterSeconds: 60 };
    assert.deepEqual(of(contained({}), "unreadable")?.availability, refused);
    assert.equal(of(contained({ generation: 4 }), "unreadable")?.availability, "serving");
    assert.deepEqual(of(contained({ enabled: false }), "unreadable")?.availability, { unavailable: "disabled" });
  });

  test("gets signed requests once the secret has arrived, also if it only renders pages", () => {
    const pagesOnly = { ...installed, api: undefined, placement: { needsContainer: true, api: "none", rendersPages: true } };
    const of4 = { ...apps, get: () => ({ ...pagesOnly, app: { ...record, generation: 4 } }) };
    assert.equal(of(of4, "awaited")?.forwardKey?.symmetricKeySize, 32);
  });

  test("does not matter to an external backend, whose requests are signed with the push secret", () => {
    const proxied = of(apps, "unreadable");
    assert.deepEqual([proxied?.availability, proxied?.forwardKey?.symmetricKeySize], ["serving", 32]);
  });
});
