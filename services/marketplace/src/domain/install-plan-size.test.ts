import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { computeInstallPlan } from "./install-plan.ts";
import type { Dependency, PlannedApp } from "./planned-app.ts";

/** Counts what a plan reads: apps by name, and dependencies. */
class CountedApps extends Map<string, PlannedApp> {
  lookUps = 0;
  dependenciesRead = 0;
  readonly dependencies: number;

  /** `edges[i]` has the numbers of the apps that app i needs. */
  constructor(edges: readonly (readonly number[])[], versionConstraint?: string) {
    super();
    this.dependencies = edges.flat().length;
    for (const [index, needed] of edges.entries()) {
      const dependencies = needed.map((to) => ({ appName: `app-${to}`, hard: true, versionConstraint }));
      this.set(`app-${index}`, this.#counted(`app-${index}`, dependencies));
    }
  }

  #counted(name: string, dependencies: readonly Dependency[]): PlannedApp {
    const read = (): void => {
      this.dependenciesRead += 1;
    };
    const counted = new Proxy(dependencies, {
      get: (list, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) read();
        return Reflect.get(list, key);
      },
    });
    const app = { name, version: "1.0.0", manifestDigest: "d", state: "REGISTERED", approvalsNeeded: [] } as const;
    return { ...app, dependencies: counted };
  }

  override get(name: string): PlannedApp | undefined {
    this.lookUps += 1;
    return super.get(name);
  }

  /** Fails if the plan read an app or a dependency more often than a single pass does. */
  assertReadOnce(): void {
    assert.ok(this.dependenciesRead <= this.dependencies, `${this.dependenciesRead} of ${this.dependencies} dependencies`);
    const single = 2 * (this.size + this.dependencies);
    assert.ok(this.lookUps <= single, `${this.lookUps} look-ups, a single pass needs at most ${single}`);
  }
}

function chain(length: number): number[][] {
  return Array.from({ length }, (_, index) => (index + 1 < length ? [index + 1] : []));
}

function fan(size: number): number[][] {
  return Array.from({ length: size }, (_, index) => (index === 0 ? Array.from({ length: size - 1 }, (_, to) => to + 1) : []));
}

/** Every app needs about half of the others, in both directions, so that there are very many cycles. */
function dense(size: number): number[][] {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const numbers = Array.from({ length: size }, (_, index) => index);
  return numbers.map((from) => numbers.filter((to) => to !== from && random() < 0.5));
}

describe("the plan of a large graph reads each app and each dependency once", () => {
  test("a chain of 200 apps", () => {
    const apps = new CountedApps(chain(200), "^1.0.0");
    const { steps } = computeInstallPlan("app-0", apps);
    assert.deepEqual([steps.length, steps[0]?.appName, steps.at(-1)?.appName], [200, "app-199", "app-0"]);
    apps.assertReadOnce();
  });

  test("one app that needs 199 others", () => {
    const apps = new CountedApps(fan(200), ">=1.0.0");
    assert.equal(computeInstallPlan("app-0", apps).steps.length, 200);
    apps.assertReadOnce();
  });

  test("200 apps that need each other: some cycles are named, and the answer stays small", () => {
    const apps = new CountedApps(dense(200), "~1.0.0");
    const { steps, blockers } = computeInstallPlan("app-0", apps);
    assert.deepEqual(steps, []);
    assert.ok(blockers.length >= 1 && blockers.length <= 20, `${blockers.length} blockers`);
    for (const { message, details } of blockers) {
      assert.ok(message.length < 250, message);
      const cycle = details?.["cycle"] as readonly string[];
      assert.equal(cycle[0], cycle.at(-1));
      for (const [index, name] of cycle.slice(1).entries()) {
        const before = apps.get(cycle[index] ?? "");
        assert.ok(before?.dependencies.some(({ appName }) => appName === name));
      }
    }
  });

  test("200 apps that need each other are read once", () => {
    const apps = new CountedApps(dense(200), "~1.0.0");
    computeInstallPlan("app-0", apps);
    apps.assertReadOnce();
  });
});

describe("a plan of any depth is an answer", () => {
  test("a chain of 10,000 apps is planned in order", () => {
    const { steps, blockers } = computeInstallPlan("app-0", new CountedApps(chain(10_000)));
    assert.deepEqual([blockers, steps.length, steps[0]?.appName], [[], 10_000, "app-9999"]);
  });

  test("a cycle of 10,000 apps is one blocker, whose message stays short", () => {
    const edges = chain(10_000);
    edges[9_999] = [0];
    const [blocker, ...more] = computeInstallPlan("app-0", new CountedApps(edges)).blockers;
    assert.deepEqual([blocker?.code, more], ["DEPENDENCY_UNSATISFIED", []]);
    assert.match(blocker?.message ?? "", /^HARD dependencies form a cycle: app-0 → app-1 → .* and 9991 more$/);
    const cycle = blocker?.details?.["cycle"] as readonly string[] | undefined;
    assert.equal(cycle?.length, 10_001);
  });
});
