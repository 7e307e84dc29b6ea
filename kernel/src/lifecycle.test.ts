import assert from "node:assert/strict";
import { test } from "node:test";
import { Lifecycle } from "./lifecycle.ts";

function recorder() {
  const log: string[] = [];
  const component = (name: string, failing: "start" | "stop" | "never" = "never") => ({
    name,
    start: () => {
      log.push(`start ${name}`);
      if (failing === "start") throw new Error(`${name} is broken`);
    },
    stop: () => {
      log.push(`stop ${name}`);
      if (failing === "stop") throw new Error(`${name} hangs`);
    },
  });
  return { log, component };
}

test("stops in the reverse order of starting", async () => {
  const { log, component } = recorder();
  const lifecycle = new Lifecycle(() => assert.fail("nothing fails here"));
  await lifecycle.use(component("database"));
  await lifecycle.use(component("listener"));
  await lifecycle.stop();
  assert.deepEqual(log, ["start database", "start listener", "stop listener", "stop database"]);
});

test("a component that fails to start stops what runs, itself included, and the failure comes through", async () => {
  const { log, component } = recorder();
  const lifecycle = new Lifecycle(() => assert.fail("nothing fails to stop here"));
  await lifecycle.use(component("database"));
  await assert.rejects(lifecycle.use(component("listener", "start")), /listener is broken/);
  assert.deepEqual(log.slice(2), ["stop listener", "stop database"]);
});

test("a component that fails to stop is reported and keeps nobody else from stopping", async () => {
  const { log, component } = recorder();
  const failures: string[] = [];
  const lifecycle = new Lifecycle((name) => failures.push(name));
  await lifecycle.use(component("database"));
  await lifecycle.use(component("listener", "stop"));
  await lifecycle.stop();
  assert.deepEqual(failures, ["listener"]);
  assert.equal(log.at(-1), "stop database");
});
