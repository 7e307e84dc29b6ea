import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import type { AppState } from "./app-state.ts";
import { computeInstallPlan, hardDependents } from "./install-plan.ts";
import type { Dependency, PlannedApp } from "./planned-app.ts";
import type { RequiredScope } from "./required-permissions.ts";

function app(name: string, init: Partial<PlannedApp> = {}): PlannedApp {
  return {
    name,
    version: "1.0.0",
    manifestDigest: `digest of ${name}`,
    state: "REGISTERED",
    dependencies: [],
    approvalsNeeded: [],
    ...init,
  };
}

function scopes(...names: readonly string[]): readonly RequiredScope[] {
  return names.map((scope) => ({ scope, owner: undefined }));
}

function hard(appName: string, versionConstraint?: string): Dependency {
  return { appName, hard: true, versionConstraint };
}

function soft(appName: string, versionConstraint?: string): Dependency {
  return { appName, hard: false, versionConstraint };
}

function registry(...apps: readonly PlannedApp[]): ReadonlyMap<string, PlannedApp> {
  return new Map(apps.map((entry) => [entry.name, entry]));
}

function planned(root: string, ...apps: readonly PlannedApp[]) {
  const { steps, blockers, warnings } = computeInstallPlan(root, registry(...apps));
  return {
    installs: steps.map(({ appName }) => appName),
    blockers: blockers.map(({ code }) => code),
    warnings: warnings.map(({ code }) => code),
    messages: [...blockers, ...warnings].map(({ message }) => message),
  };
}

test("an app without dependencies is one step, with its image", () => {
  const image = { digest: "sha256:a" };
  const { steps, blockers, warnings } = computeInstallPlan("a", registry(app("a", { version: "2.1.0", image })));
  assert.deepEqual(steps, [
    { action: "install", appName: "a", version: "2.1.0", manifestDigest: "digest of a", image, reason: "requested" },
  ]);
  assert.deepEqual([blockers, warnings], [[], []]);
});

test("dependencies come first, each app once", () => {
  const diamond = [
    app("a", { dependencies: [hard("b"), hard("c")] }),
    app("b", { dependencies: [hard("d")] }),
    app("c", { dependencies: [hard("d")] }),
    app("d"),
  ];
  assert.deepEqual(planned("a", ...diamond).installs, ["d", "b", "c", "a"]);
});

test("an installed dependency needs no step, but its own dependencies are still checked", () => {
  for (const state of ["INSTALLED", "RUNNING", "UNHEALTHY"] as const) {
    const plan = planned(
      "a",
      app("a", { dependencies: [hard("b")] }),
      app("b", { state, dependencies: [hard("c")] }),
      app("c"),
    );
    assert.deepEqual(plan.installs, ["c", "a"]);
  }
});

test("a failed or uninstalled app is installed again", () => {
  for (const state of ["FAILED", "UNINSTALLED"] as const) {
    assert.deepEqual(planned("a", app("a", { dependencies: [hard("b")] }), app("b", { state })).installs, ["b", "a"]);
  }
});

test("an app with a running operation blocks, and the blocker names its state", () => {
  for (const state of ["INSTALLING", "UNINSTALLING"] as const) {
    const plan = planned("a", app("a", { dependencies: [hard("b")] }), app("b", { state }));
    assert.deepEqual([plan.installs, plan.blockers], [[], ["INVALID_STATE"]]);
    assert.match(plan.messages[0] ?? "", new RegExp(`b is ${state}`));
  }
});

test("a missing HARD dependency blocks, a missing SOFT one warns", () => {
  const needs = planned("a", app("a", { dependencies: [hard("b")] }));
  assert.deepEqual([needs.installs, needs.blockers], [[], ["DEPENDENCY_UNSATISFIED"]]);
  assert.match(needs.messages[0] ?? "", /a needs b, which is not registered/);

  const likes = planned("a", app("a", { dependencies: [soft("b")] }));
  assert.deepEqual([likes.installs, likes.blockers, likes.warnings], [["a"], [], ["DEPENDENCY_UNSATISFIED"]]);
});

test("a SOFT dependency that is registered but not installed yields a warning and is not installed", () => {
  const plan = planned("a", app("a", { dependencies: [soft("b")] }), app("b"));
  assert.deepEqual([plan.installs, plan.warnings], [["a"], ["DEPENDENCY_UNSATISFIED"]]);
  const content = planned("a", app("a", { dependencies: [soft("b")] }), app("b", { state: "RUNNING" }));
  assert.deepEqual([content.installs, content.warnings], [["a"], []]);
});

test("versions are checked against the constraint, for HARD and SOFT dependencies", () => {
  const found = app("b", { version: "1.9.0" });
  assert.deepEqual(planned("a", app("a", { dependencies: [hard("b", "^1.2.0")] }), found).installs, ["b", "a"]);
  const tooOld = planned("a", app("a", { dependencies: [hard("b", ">=2.0.0")] }), found);
  assert.deepEqual([tooOld.installs, tooOld.blockers], [[], ["DEPENDENCY_UNSATISFIED"]]);
  assert.match(tooOld.messages[0] ?? "", />=2\.0\.0.+1\.9\.0/);
  assert.deepEqual(planned("a", app("a", { dependencies: [soft("b", ">=2.0.0")] }), found).blockers, []);
});

test("a cycle of HARD dependencies is reported once, from the app where it closes", () => {
  const plan = computeInstallPlan(
    "a",
    registry(
      app("a", { dependencies: [hard("b")] }),
      app("b", { dependencies: [hard("c")] }),
      app("c", { dependencies: [hard("b")] }),
    ),
  );
  assert.deepEqual(plan.steps, []);
  assert.deepEqual(
    plan.blockers.map(({ details }) => details),
    [{ cycle: ["b", "c", "b"] }],
  );
});

test("a cycle with a SOFT dependency in it does not block", () => {
  const plan = planned("a", app("a", { dependencies: [hard("b")] }), app("b", { dependencies: [soft("a")] }));
  assert.deepEqual([plan.installs, plan.blockers], [["b", "a"], []]);
});

test("permissions without approval block, for the app and for its dependencies", () => {
  const plan = planned(
    "a",
    app("a", { dependencies: [hard("b")], approvalsNeeded: scopes("settings:write") }),
    app("b", { approvalsNeeded: [...scopes("app:install"), { scope: "notes:read", owner: "com.example.notes" }] }),
  );
  assert.deepEqual([plan.installs, plan.blockers], [[], ["APPROVAL_REQUIRED", "APPROVAL_REQUIRED"]]);
  assert.match(plan.messages[0] ?? "", /b needs an approval of app:install, notes:read of com\.example\.notes/);
});

test("without dependencies, a HARD dependency that is not installed blocks and is named", () => {
  const graph = (state: AppState) =>
    registry(
      app("a", { dependencies: [hard("b", "^1.0.0"), soft("c")] }),
      app("b", { state, dependencies: [hard("d")] }),
      app("c", { state: "RUNNING" }),
      app("d", { state }),
    );
  const { steps, blockers } = computeInstallPlan("a", graph("REGISTERED"), { withDependencies: false });
  assert.deepEqual(steps, []);
  assert.deepEqual(blockers, [
    {
      code: "DEPENDENCY_UNSATISFIED",
      message: "a needs b, which is REGISTERED, and this plan installs no dependencies",
      details: { app: "a", dependency: "b", constraint: "^1.0.0", state: "REGISTERED" },
    },
  ]);
  const satisfied = computeInstallPlan("a", graph("RUNNING"), { withDependencies: false });
  assert.deepEqual([satisfied.steps.map(({ appName }) => appName), satisfied.blockers], [["a"], []]);
});

test("a path of pages that another app has or claims is a conflict", () => {
  const target = { version: "2.0.0", dependencies: [], routeBase: "/x" };
  for (const other of [app("b", { routeBase: "/x" }), app("b", { state: "RUNNING", routeBase: "/b", target })]) {
    const plan = planned("a", app("a", { routeBase: "/x" }), other);
    assert.deepEqual([plan.installs, plan.blockers], [[], ["CONFLICT"]]);
    assert.deepEqual(plan.messages, ["a has pages under /x, and this path belongs to b"]);
  }
  const above = planned("a", app("a", { routeBase: "/x" }), app("b", { routeBase: "/x/y" }));
  assert.deepEqual(above.messages, ["a has pages under /x, and /x/y belongs to b"]);
  const below = planned("a", app("a", { routeBase: "/x/y/z" }), app("b", { routeBase: "/x" }));
  assert.deepEqual(below.messages, ["a has pages under /x/y/z, and /x belongs to b"]);
  for (const other of ["/y", "/xy", "/x-1"])
    assert.deepEqual(planned("a", app("a", { routeBase: "/x" }), app("b", { routeBase: other })).blockers, [], other);
});

test("a dependency must be of a matching version now and after its running upgrade", () => {
  const target = { version: "2.0.0", dependencies: [] };
  const plan = planned("a", app("a", { dependencies: [hard("b", "^1.0.0")] }), app("b", { state: "RUNNING", target }));
  assert.deepEqual(plan.messages, ["a needs b ^1.0.0, but version 2.0.0 is registered"]);
});

test("every blocker is reported at once", () => {
  const plan = planned(
    "a",
    app("a", { dependencies: [hard("b"), hard("c", "2.0.0")], approvalsNeeded: scopes("x:y") }),
    app("c"),
  );
  assert.deepEqual(plan.blockers, ["DEPENDENCY_UNSATISFIED", "DEPENDENCY_UNSATISFIED", "APPROVAL_REQUIRED"]);
});

test("installed and installing apps that HARD-depend on an app block its removal", () => {
  const dependents = (state: AppState, dependency: Dependency): readonly string[] =>
    hardDependents("b", [app("a", { state, dependencies: [dependency] }), app("b", { state: "RUNNING" })]);
  for (const state of ["INSTALLING", "INSTALLED", "RUNNING", "UNHEALTHY"] as const) {
    assert.deepEqual(dependents(state, hard("b")), ["a"]);
    assert.deepEqual(dependents(state, soft("b")), []);
  }
  for (const state of ["REGISTERED", "FAILED", "UNINSTALLING", "UNINSTALLED"] as const) {
    assert.deepEqual(dependents(state, hard("b")), []);
  }
});

test("an app that a running upgrade makes dependent blocks the removal as well", () => {
  const target = { version: "2.0.0", dependencies: [hard("b"), hard("c")] };
  const apps = [app("a", { state: "RUNNING", dependencies: [hard("b")], target })];
  assert.deepEqual([hardDependents("b", apps), hardDependents("c", apps), hardDependents("d", apps)], [["a"], ["a"], []]);
});

test("for any graph, steps are in order and each occurs once, or there are blockers and no steps", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const edges = fc.array(fc.record({ from: fc.constantFrom(...names), to: fc.constantFrom(...names), hard: fc.boolean() }), {
    maxLength: 14,
  });
  fc.assert(
    fc.property(edges, (graph) => {
      const apps = registry(
        ...names.map((name) =>
          app(name, {
            dependencies: graph.filter(({ from }) => from === name).map((edge) => (edge.hard ? hard(edge.to) : soft(edge.to))),
          }),
        ),
      );
      const { steps, blockers } = computeInstallPlan("a", apps);
      if (blockers.length > 0) {
        assert.deepEqual(steps, []);
        return;
      }
      const order = steps.map(({ appName }) => appName);
      assert.equal(new Set(order).size, order.length);
      assert.equal(order.at(-1), "a");
      for (const name of order) {
        for (const dependency of apps.get(name)?.dependencies ?? []) {
          if (dependency.hard) assert.ok(order.indexOf(dependency.appName) < order.indexOf(name));
        }
      }
    }),
  );
});
