import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppManifestSchema, ReplicasSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import type { LiveApp, LiveApps } from "@appserver/marketplace";
import { create } from "@bufbuild/protobuf";
import { desiredApps } from "./desired-apps.ts";

const record = { id: "1", name: "com.example.notes", state: "RUNNING", enabled: true };
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
  api: { upstreamBaseUrl: "https://notes.example.com:8443/base" },
  strategy: "side_by_side",
} as unknown as LiveApp;
const apps = {
  current: async () => installed,
  allCurrent: async () => [installed],
} as unknown as LiveApps;
const noApprovals = { isApproved: async () => false };
const stored = <T>(values: ReadonlyMap<string, T>) => ({ all: async () => values, find: async (id: string) => values.get(id) });
const settings = (stages: ReadonlyMap<string, string> = new Map(), replicas: ReadonlyMap<string, number> = new Map()) => ({
  stages: stored(stages),
  replicas: stored(replicas),
});

test("a container that only renders pages does not listen on the port of the API, which is elsewhere", async () => {
  const desired = await desiredApps(apps, settings(), noApprovals).get(record.name);
  assert.deepEqual([desired?.needsContainer, desired?.upstreamPort, desired?.healthCheck], [true, 3000, undefined]);
});

test("only an app that runs side by side with its next release shares its storage", async () => {
  const replaced = { ...installed, strategy: "replace" } as LiveApp;
  const found = await Promise.all(
    [installed, replaced].map((app) =>
      desiredApps({ ...apps, current: async () => app } as unknown as LiveApps, settings(), noApprovals).get(record.name),
    ),
  );
  assert.deepEqual(
    found.map((desired) => desired?.sharesStorage),
    [true, false],
  );
});

test("the image stage is the stored one, or else the default that the manifest declares", async () => {
  const stageOf = async (stages: ReadonlyMap<string, string>) => {
    const desired = desiredApps(apps, settings(stages), noApprovals);
    const [listed] = await desired.all();
    const found = await desired.get(record.name);
    assert.equal(listed?.imageStage, found?.imageStage);
    return found?.imageStage;
  };
  assert.equal(await stageOf(new Map([["1", "pre-release"]])), "pre-release");
  assert.equal(await stageOf(new Map()), "testing");
});

test("the number of instances is that of the setting, or else that of the manifest", async () => {
  const replicas = { min: 2, max: 5, cpuPercent: 70 };
  const declared = create(ReplicasSchema, replicas);
  const scaled = { ...installed, manifest: create(AppManifestSchema, { ...manifest, replicas: declared }) };
  const of = async (live: LiveApp, counts?: ReadonlyMap<string, number>) => {
    const known = { current: async () => live, allCurrent: async () => [live] } as unknown as LiveApps;
    const desired = desiredApps(known, settings(undefined, counts), noApprovals);
    const [listed] = await desired.all();
    assert.deepEqual(listed?.replicas, (await desired.get(record.name))?.replicas);
    return listed?.replicas;
  };
  assert.deepEqual(await of(installed), { min: 1, max: 1, cpuPercent: undefined });
  assert.deepEqual(await of(scaled), replicas);
  assert.deepEqual(await of(scaled, new Map([["1", 3]])), { min: 3, max: 3, cpuPercent: undefined });
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
  const signed = create(AppManifestSchema, { ...manifest, imageDigest: "sha256:signed" });
  const switching = {
    ...installed,
    app: { ...record, version: "1.0.0", manifestDigest: "one", imageDigest: "sha256:one", generation: 3, target },
    target: {
      manifest: signed,
      placement: { needsContainer: true, api: "container" },
      api: { upstreamBaseUrl: "http://app-com.example.notes:8080", healthCheck: { path: "/health" } },
    },
  } as unknown as LiveApp;
  const switchingApps = { current: async () => switching } as unknown as LiveApps;

  test("has the image of its original if it is a clone, until another release takes its place", async () => {
    const clonedFrom = { app: "com.example.first", imageOwner: "com.example.first", manifestDigest: "one" };
    const clone = { ...switching, app: { ...switching.app, clonedFrom } };
    const known = { current: async () => clone } as unknown as LiveApps;
    const desired = await desiredApps(known, settings(), noApprovals).get(record.name);
    assert.deepEqual([desired?.imageOwner, desired?.next?.imageOwner], ["com.example.first", record.name]);
  });

  test("is desired with both releases", async () => {
    const desired = await desiredApps(switchingApps, settings(), noApprovals).get(record.name);
    assert.partialDeepStrictEqual(desired, {
      version: "1.0.0",
      manifestDigest: "one",
      signedDigest: undefined,
      imageDigest: "sha256:one",
      generation: 3,
    });
    const { revision: _revision, ...release } = target;
    assert.partialDeepStrictEqual(desired?.next, {
      ...release,
      signedDigest: "sha256:signed",
      needsContainer: true,
      upstreamPort: 8080,
      healthCheck: { path: "/health" },
      imageStage: "testing",
    });
  });
});

describe("an app that runs as root", () => {
  const target = { generation: 4, strategy: "replace", holdsRequests: true };
  const asRoot = { ...installed, manifest: create(AppManifestSchema, { ...manifest, user: "0:0" }) };
  const switching = { ...installed, app: { ...record, target }, target: { ...asRoot, manifest: asRoot.manifest } };
  const of = async (live: object, isApproved: boolean) => {
    const approved = {
      isApproved: async (id: string, scope: string) => isApproved && id === record.id && scope === "container:root",
    };
    const known = { current: async () => live, allCurrent: async () => [live] } as unknown as LiveApps;
    const desired = desiredApps(known, settings(), approved);
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
