import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { debianPrograms } from "../../tools/services/debian-programs.ts";
import { readArguments } from "./arguments.ts";
import { filesOf, type Plan, planRun, type Selection } from "./plan.ts";
import { componentsFor, slowComponents } from "./slow-components.ts";
import { clusterSmokeFile, smokeFiles } from "./smoke-files.ts";
import { consoleFolder, tiersOf } from "./tiers.ts";

const root = resolve(import.meta.dirname, "../..");
const planOf = (...args: string[]): Plan => planRun(root, readArguments(args, false) as Selection);

test("the path of a file names its tier", () => {
  assert.deepEqual(tiersOf("kernel/src/ids.test.ts"), ["base"]);
  assert.deepEqual(tiersOf("drivers/cache/redis/src/redis-cache.production.test.ts"), ["production"]);
  assert.deepEqual(tiersOf("testing/production/tutorials.test.ts"), ["production"]);
  assert.deepEqual(tiersOf("testing/faults/kills.test.ts"), ["faults"]);
  assert.deepEqual(tiersOf("drivers/containers/kubernetes/src/kubernetes-runtime.kubernetes.test.ts"), ["kubernetes"]);
  assert.deepEqual(tiersOf("testing/contract/errors.test.ts"), ["base", "production"]);
  assert.deepEqual(tiersOf("testing/contract/viewer.embedded.test.ts"), ["base"]);
  assert.deepEqual(tiersOf("testing/contract/docker.production.test.ts"), ["production"]);
});

test("filters select by path; without a filter all files of the tier run, each once", () => {
  assert.deepEqual(filesOf(planOf("testing/runner/runner")), ["testing/runner/runner.test.ts"]);
  const all = filesOf(planOf());
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.includes("kernel/src/ids.test.ts") && all.includes("testing/contract/errors.test.ts"));
  assert.ok(all.every((file) => tiersOf(file).includes("base")));
});

test("tests of the console run on an embedded platform and on that of the console; endings name those that run on one", () => {
  const plan = planOf("--tier=production", "e2e/console/access.test", "e2e/console/journey");
  const filesIn = (runs: Plan["alone"]) => runs.flatMap(({ files }) => files);
  const [access, journey] = ["access.test.ts", "journey.production.test.ts"].map((name) => `${consoleFolder}${name}`);
  assert.deepEqual(filesIn(plan.onConsolePlatform), [access, journey]);
  assert.deepEqual(filesIn(plan.alone), [access]);
  assert.deepEqual(filesOf(plan), [access, journey]);
});

test("contract tests of production run on `appserver up`, too, except those of continuous integration", () => {
  const plan = planOf("--tier=production", "contract/errors");
  const files = ["testing/contract/errors-by-transport.test.ts", "testing/contract/errors.test.ts"];
  for (const runs of [plan.onPlatform, plan.onUpPlatform])
    assert.deepEqual(
      runs.flatMap((run) => run.files),
      files,
    );
  assert.deepEqual(planOf("--tier=production", "--smoke").onUpPlatform, []);
  assert.deepEqual(planOf("contract/errors").onUpPlatform, []);
});

test("at most ten files of npm test start a platform of their own", () => {
  const starts = /RunningPlatform\.(start|create)\(|startOwnPlatform\(|new AppserverProcess\(|ReplicaGroup|ProductionServer/;
  const found = filesOf(planOf()).filter((file) => starts.test(readFileSync(join(root, file), "utf8")));
  // This file names them, and the shared platform is one more.
  assert.ok(found.length <= 10, found.join("\n"));
});

test("the parts of a sharded run are all of it, without overlap", () => {
  const parts = [1, 2, 3, 4].map((part) => filesOf(planOf("--tier=faults", "--shard", `${part}/4`)));
  assert.deepEqual(parts.flat().sort(), [...filesOf(planOf("--tier=faults"))].sort());
  const sizes = parts.map(({ length }) => length);
  assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, sizes.join());
});

test("--whole gives each file four hours; --smoke selects existing files of the production tier", () => {
  const { alone } = planOf("--tier=faults", "--whole");
  assert.deepEqual([...new Set(alone.map(({ timeoutMs }) => timeoutMs))], [14_400_000]);
  assert.deepEqual([...filesOf(planOf("--tier=production", "--smoke"))].sort(), [...smokeFiles].sort());
  for (const file of [...smokeFiles, clusterSmokeFile]) assert.ok(existsSync(join(root, file)), file);
  const withCluster = readArguments(["--tier=production", "--smoke"], true) as Selection;
  assert.deepEqual([...filesOf(planRun(root, withCluster))].sort(), [...smokeFiles, clusterSmokeFile].sort());
});

test("a wrong argument is refused with what was expected", () => {
  const problemOf = (...args: string[]): string => (readArguments(args, false) as { problem: string }).problem;
  assert.match(problemOf("--tier", "all"), /unknown tier all; expected: base, production, faults, kubernetes/);
  assert.match(problemOf("--shard", "5/4"), /--shard 5\/4: expected .* 2\/4/);
  assert.match(problemOf("--hole"), /--hole/);
  assert.match(problemOf("--smoke"), /--tier=production/);
});

test("only the components that the chosen files need are prepared, and each can be", () => {
  assert.deepEqual(componentsFor(["drivers/identity/kratos/src/a.test.ts", "drivers/cache/redis/src/b.test.ts"]), [
    "redis",
    "kratos",
  ]);
  const script = readFileSync(join(root, "tools/services/prepare.ts"), "utf8");
  for (const component of Object.keys(slowComponents)) {
    if (!(component in debianPrograms)) assert.match(script, new RegExp(`^  ${component}: `, "m"));
  }
});
