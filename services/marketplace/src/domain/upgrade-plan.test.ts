import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { AppState } from "./app-state.ts";
import { manifestDifferences } from "./manifest-differences.ts";
import type { Dependency, PlannedApp } from "./planned-app.ts";
import { type PlannedRelease, plannedRelease } from "./planned-release.ts";
import { planUpgrade, type UpgradeRequest } from "./upgrade-plan.ts";

function app(name: string, init: Partial<PlannedApp> = {}): PlannedApp {
  return {
    name,
    version: "1.0.0",
    manifestDigest: `digest of ${name}`,
    state: "RUNNING",
    dependencies: [],
    approvalsNeeded: [],
    ...init,
  };
}

function release(version: string, init: Partial<PlannedRelease> = {}): PlannedRelease {
  return {
    version,
    revision: 1,
    manifestDigest: `digest of notes ${version}`,
    dependencies: [],
    routeBase: undefined,
    minPlatformVersion: undefined,
    irreversibleMigration: false,
    image: undefined,
    approvalsNeeded: [],
    ...init,
  };
}

function hard(appName: string, versionConstraint?: string): Dependency {
  return { appName, hard: true, versionConstraint };
}

function soft(appName: string, versionConstraint?: string): Dependency {
  return { appName, hard: false, versionConstraint };
}

const emptyManifest = create(AppManifestSchema, { name: "notes" });
const noDifferences = manifestDifferences(emptyManifest, emptyManifest, "always");

/** Plans the upgrade of notes from 1.0.0 to 2.0.0, or the one in `request`. `others` are the other registered apps. */
function plan(request: Partial<UpgradeRequest> = {}, others: readonly PlannedApp[] = [], notes: Partial<PlannedApp> = {}) {
  const from = request.from ?? release("1.0.0");
  const apps = [app("notes", { version: from.version, manifestDigest: from.manifestDigest, ...notes }), ...others];
  return planUpgrade(
    {
      action: "upgrade",
      name: "notes",
      from,
      to: release("2.0.0"),
      releases: [],
      differences: noDifferences,
      storedSettings: [],
      platformVersion: "1.4.0",
      excessiveLimits: [],
      ...request,
    },
    new Map(apps.map((entry) => [entry.name, entry])),
  );
}

/** Returns the code and the message of each blocker. A plan with blockers has no steps. */
function blockersOf({ steps, blockers }: ReturnType<typeof plan>): readonly string[] {
  if (blockers.length > 0) assert.deepEqual(steps, []);
  return blockers.map(({ code, message }) => `${code}: ${message}`);
}

function warningsOf({ warnings }: ReturnType<typeof plan>): readonly string[] {
  return warnings.map(({ code, message }) => `${code}: ${message}`);
}

const rollback = (request: Partial<UpgradeRequest> = {}) =>
  plan({ action: "rollback", from: release("3.0.0"), to: release("1.0.0"), ...request });

describe("the steps of an upgrade", () => {
  test("an upgrade is one step, which names what it replaces", () => {
    const { steps, blockers, warnings, digest } = plan();
    assert.deepEqual(steps, [
      {
        action: "upgrade",
        appName: "notes",
        version: "2.0.0",
        manifestDigest: "digest of notes 2.0.0",
        image: undefined,
        reason: "requested",
        replaces: { version: "1.0.0", manifestDigest: "digest of notes 1.0.0" },
      },
    ]);
    assert.deepEqual([blockers, warnings], [[], []]);
    assert.match(digest, /^[0-9a-f]{64}$/);
  });

  test("HARD dependencies that the new version adds are installed first, in order", () => {
    const clock = app("clock", { state: "REGISTERED", dependencies: [hard("time")] });
    const { steps } = plan({ to: release("2.0.0", { dependencies: [hard("clock")] }) }, [
      clock,
      app("time", { state: "UNINSTALLED" }),
    ]);
    assert.deepEqual(
      steps.map(({ action, appName }) => `${action} ${appName}`),
      ["install time", "install clock", "upgrade notes"],
    );
  });

  test("without dependencies, each one that is not installed is a blocker", () => {
    const to = release("2.0.0", { dependencies: [hard("clock")] });
    const clock = app("clock", { state: "REGISTERED" });
    assert.deepEqual(blockersOf(plan({ to, withDependencies: false }, [clock])), [
      "DEPENDENCY_UNSATISFIED: notes needs clock, which is REGISTERED, and this plan installs no dependencies",
    ]);
  });

  test("a dependency that the new version drops is not considered", () => {
    assert.deepEqual(blockersOf(plan({}, [], { dependencies: [hard("gone")] })), []);
  });

  test("the digest differs for another action, version, manifest or replaced manifest", () => {
    const digests = [
      plan(),
      plan({ to: release("2.1.0") }),
      plan({ to: release("2.0.0", { manifestDigest: "other" }) }),
      plan({ from: release("1.0.0", { manifestDigest: "other" }) }),
      rollback(),
    ].map(({ digest }) => digest);
    assert.equal(new Set(digests).size, digests.length);
    assert.equal(plan().digest, plan().digest);
  });

  test("a new revision of the same version is an upgrade", () => {
    const to = release("1.0.0", { revision: 2, manifestDigest: "other" });
    assert.deepEqual(
      plan({ to }).steps.map(({ version }) => version),
      ["1.0.0"],
    );
  });
});

describe("the state of the app blocks an upgrade", () => {
  test("only an installed app can be upgraded or rolled back", () => {
    for (const state of ["INSTALLED", "RUNNING", "UNHEALTHY"] as const)
      assert.deepEqual(blockersOf(plan({}, [], { state })), []);
    const others: readonly AppState[] = ["REGISTERED", "INSTALLING", "FAILED", "UNINSTALLING", "UNINSTALLED"];
    for (const state of others) {
      const expected = `INVALID_STATE: notes is ${state}; only an installed app can be upgraded`;
      assert.deepEqual(blockersOf(plan({}, [], { state })), [expected]);
    }
    assert.match(String(blockersOf(plan({ name: "other" }))), /^INVALID_STATE: other is not registered/);
  });

  test("the version that is installed needs no upgrade", () => {
    assert.deepEqual(blockersOf(plan({ to: release("1.0.0") })), ["INVALID_STATE: notes is RUNNING in version 1.0.0 already"]);
  });

  test("an upgrade goes to a newer release, a rollback to an older one", () => {
    const older = plan({ from: release("2.0.0", { revision: 2 }), to: release("1.0.0") });
    assert.deepEqual(blockersOf(older), [
      "INVALID_STATE: notes has version 2.0.0 (revision 2), which is newer than 1.0.0; use a rollback",
    ]);
    assert.match(String(blockersOf(rollback({ to: release("4.0.0") }))), /which is older than 4\.0\.0; use an upgrade/);
  });

  test("one upgrade of an app runs at a time", () => {
    const target = { version: "1.5.0", dependencies: [] };
    assert.deepEqual(blockersOf(plan({}, [], { target })), ["CONFLICT: notes is already switching to version 1.5.0"]);
  });
});

describe("other apps block an upgrade", () => {
  test("unsatisfied HARD dependencies of the new version are named", () => {
    const to = release("2.0.0", { dependencies: [hard("clock", "^2.0.0"), hard("gone")] });
    assert.deepEqual(blockersOf(plan({ to }, [app("clock")])), [
      "DEPENDENCY_UNSATISFIED: notes needs clock ^2.0.0, but version 1.0.0 is registered",
      "DEPENDENCY_UNSATISFIED: notes needs gone, which is not registered",
    ]);
  });

  test("each installed app whose HARD constraint would break is named, an app with a SOFT one is a warning", () => {
    const dependents = [
      app("a", { dependencies: [hard("notes", "^1.0.0")] }),
      app("b", { dependencies: [hard("notes", ">=1.0.0")] }),
      app("c", { dependencies: [hard("notes", "~1.0.0")], state: "INSTALLING" }),
      app("d", { dependencies: [hard("notes", "^1.0.0")], state: "REGISTERED" }),
      app("e", { dependencies: [soft("notes", "^1.0.0")] }),
    ];
    const result = plan({}, dependents);
    assert.deepEqual(blockersOf(result), [
      "DEPENDENCY_UNSATISFIED: a needs notes ^1.0.0, which version 2.0.0 does not meet",
      "DEPENDENCY_UNSATISFIED: c needs notes ~1.0.0, which version 2.0.0 does not meet",
    ]);
    assert.deepEqual(warningsOf(result), ["DEPENDENCY_UNSATISFIED: e may use notes ^1.0.0, which version 2.0.0 does not meet"]);
  });

  test("a constraint that is not met now is not broken by the upgrade: a warning", () => {
    const result = plan({}, [app("a", { dependencies: [hard("notes", "^0.9.0")] })]);
    assert.deepEqual([blockersOf(result), warningsOf(result).length], [[], 1]);
  });

  test("the releases that other apps are being upgraded to count as well", () => {
    const target = { version: "2.0.0", dependencies: [hard("notes", "^1.0.0")] };
    const [blocker] = blockersOf(plan({}, [app("a", { target })]));
    assert.equal(blocker, "DEPENDENCY_UNSATISFIED: a needs notes ^1.0.0, which version 2.0.0 does not meet");
    const to = release("2.0.0", { dependencies: [hard("a", "^1.0.0")] });
    const leaving = app("a", { target: { version: "2.0.0", dependencies: [] } });
    assert.deepEqual(blockersOf(plan({ to }, [leaving])), [
      "DEPENDENCY_UNSATISFIED: notes needs a ^1.0.0, but version 2.0.0 is registered",
    ]);
  });

  test("a cycle that the new version closes is reported", () => {
    const to = release("2.0.0", { dependencies: [hard("clock")] });
    assert.deepEqual(blockersOf(plan({ to }, [app("clock", { dependencies: [hard("notes")] })])), [
      "DEPENDENCY_UNSATISFIED: HARD dependencies form a cycle: notes → clock → notes",
    ]);
  });

  test("a dependency is checked against the new version, not the installed one", () => {
    const to = release("2.0.0", { dependencies: [hard("clock")] });
    const clock = app("clock", { state: "REGISTERED", dependencies: [soft("notes", "^1.0.0")] });
    assert.deepEqual(warningsOf(plan({ to }, [clock])), [
      "DEPENDENCY_UNSATISFIED: clock may use notes ^1.0.0, but version 2.0.0 is registered",
    ]);
  });

  test("a route base of another app, or of its running upgrade, is a conflict", () => {
    const to = release("2.0.0", { routeBase: "/n" });
    const expected = ["CONFLICT: notes has pages under /n, and this path belongs to a"];
    assert.deepEqual(blockersOf(plan({ to }, [app("a", { routeBase: "/n" })])), expected);
    const target = { version: "2.0.0", dependencies: [], routeBase: "/n" };
    assert.deepEqual(blockersOf(plan({ to }, [app("a", { target })])), expected);
    assert.deepEqual(blockersOf(plan({ to }, [], { routeBase: "/n" })), [], "its own path is no conflict");
  });
});

describe("the release itself blocks an upgrade", () => {
  test("missing approvals of the new version block, and those of new dependencies", () => {
    const scopes = (scope: string) => [{ scope, owner: undefined }];
    const to = release("2.0.0", { approvalsNeeded: scopes("settings:write"), dependencies: [hard("clock")] });
    const clock = app("clock", { state: "REGISTERED", approvalsNeeded: scopes("app:install") });
    assert.deepEqual(blockersOf(plan({ to }, [clock])), [
      "APPROVAL_REQUIRED: clock needs an approval of app:install",
      "APPROVAL_REQUIRED: notes needs an approval of settings:write",
    ]);
  });

  test("a newer platform may be needed", () => {
    const needs = (minPlatformVersion: string) => blockersOf(plan({ to: release("2.0.0", { minPlatformVersion }) }));
    assert.deepEqual(needs("1.5.0"), ["DEPENDENCY_UNSATISFIED: notes 2.0.0 needs platform 1.5.0 or newer, this is 1.4.0"]);
    assert.deepEqual(needs("1.4.0"), []);
  });

  test("a rollback does not leave an irreversible migration, installed or skipped", () => {
    const [one, two, three] = ["1.0.0", "2.0.0", "3.0.0"].map((version) => release(version, { irreversibleMigration: true }));
    assert.ok(one && two && three);
    const problem = (version: string) =>
      `INVALID_STATE: notes cannot go back to version 1.0.0: version ${version} has an irreversible migration`;
    assert.deepEqual(blockersOf(rollback({ releases: [two] })), [problem("2.0.0")]);
    assert.deepEqual(blockersOf(rollback({ from: three, releases: [three, two] })), [problem("2.0.0"), problem("3.0.0")]);
    const newer = release("4.0.0", { irreversibleMigration: true });
    assert.deepEqual(blockersOf(rollback({ to: one, releases: [one, newer] })), []);
    assert.deepEqual(blockersOf(plan({ to: release("3.0.0"), releases: [two] })), [], "an upgrade may pass it");
  });

  test("a rollback without one is a step", () => {
    const { steps } = rollback();
    assert.deepEqual(
      steps.map(({ action, version, replaces }) => [action, version, replaces?.version]),
      [["rollback", "1.0.0", "3.0.0"]],
    );
  });

  test("every blocker is reported at once", () => {
    const to = release("2.0.0", {
      dependencies: [hard("gone")],
      minPlatformVersion: "9.0.0",
      approvalsNeeded: [{ scope: "a:b", owner: undefined }],
    });
    const codes = plan({ to }, [app("a", { dependencies: [hard("notes", "1.0.0")] })]).blockers.map(({ code }) => code);
    assert.deepEqual(codes, [...Array.from({ length: 3 }, () => "DEPENDENCY_UNSATISFIED"), "APPROVAL_REQUIRED"]);
  });
});

describe("warnings of an upgrade", () => {
  const manifest = (init: MessageInitShape<typeof AppManifestSchema>) =>
    create(AppManifestSchema, { name: "notes", ...init } as typeof init);

  test("lost settings, removed routes and a new path of the API are named", () => {
    const api = (basePath: string, ...patterns: string[]) => ({
      api: { basePath, upstreamBaseUrl: "http://n:1", routes: patterns.map((pattern) => ({ pattern, methods: ["GET"] })) },
    });
    const definitions = [
      { key: "a", dataType: SettingDataType.INT },
      { key: "b", dataType: SettingDataType.INT },
    ];
    const differences = manifestDifferences(
      manifest({ webApp: api("/v1", "/old", "/same"), settings: { definitions } }),
      manifest({ webApp: api("/v2", "/same"), settings: { definitions: [{ key: "b", dataType: SettingDataType.BOOL }] } }),
      "always",
    );
    const result = plan({ differences, storedSettings: ["a", "b"] });
    assert.deepEqual(warningsOf(result), [
      "INVALID_REQUEST: notes loses the stored values of settings: a (removed), b (INT becomes BOOL)",
      "NOT_FOUND: notes has routes that the new version removes: GET /old",
      "NOT_FOUND: the routes of notes move from /api/apps/notes/v1 to /api/apps/notes/v2",
    ]);
    assert.equal(result.steps.length, 1, "warnings do not block");
  });

  test("SOFT dependencies that are missing are named", () => {
    const to = release("2.0.0", { dependencies: [soft("gone"), soft("clock")] });
    assert.deepEqual(warningsOf(plan({ to }, [app("clock", { state: "REGISTERED" })])), [
      "DEPENDENCY_UNSATISFIED: notes may use gone, which is not registered",
      "DEPENDENCY_UNSATISFIED: notes works better with clock, which is REGISTERED",
    ]);
  });

  test("a release takes from its manifest what the plan uses", () => {
    const stored = { revision: 2, manifestDigest: "d", approvalsNeeded: [] };
    const ui = { routeBase: "/n" };
    const found = manifest({ version: "1.0.0", minPlatformVersion: "", irreversibleMigration: true, webApp: { ui } });
    assert.deepEqual(
      plannedRelease(found, stored),
      release("1.0.0", { ...stored, routeBase: "/n", irreversibleMigration: true }),
    );
  });
});
