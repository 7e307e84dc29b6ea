import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { eventually, send } from "@appserver/testing/kit";
import { TestDockerEngine } from "@appserver/testing/kit/docker";
import { startUpPlatform } from "@appserver/testing/kit/production";
import { dataOf } from "../../contract/commands.ts";

const name = "com.example.clock";
const container = `app-${name}`;

interface Shown {
  readonly state: string;
  readonly asleepSince: string | null;
  readonly deployment: { readonly state: string };
}

const started = await startUpPlatform({ APPSERVER_APPS_SLEEP_AFTER: "3s" });
const skip = "unavailable" in started ? started.unavailable : false;

/** docs/interface/sleep.md, where server, orchestrator and engine guard are those of one machine. */
describe("apps of one machine that sleep in Docker", { skip }, () => {
  after(async () => {
    if (!("unavailable" in started)) await started.stop();
  });

  test("an idle app's container is stopped, and a request starts the same one", async (t) => {
    if ("unavailable" in started) return;
    const engine = new TestDockerEngine(started.addresses.docker.socketPath, async () => {});
    const shown = async () => {
      const fields = "state asleepSince deployment { state }";
      return (await dataOf<{ readonly app: Shown }>(started, `{ app(name: "${name}") { ${fields} } }`)).app;
    };
    try {
      const stopped = await eventually(
        () => engine.inspect(container),
        (found) => found?.State.Status === "exited",
        { what: "the container is stopped" },
      );
      const asleep = await shown();
      assert.deepEqual([asleep.state, asleep.deployment.state], ["RUNNING", "ASLEEP"]);
      assert.ok(asleep.asleepSince);
      const askedAt = performance.now();
      const { status, text } = await send(started.httpUrl, `/api/apps/${name}/ping`);
      const tookMs = Math.round(performance.now() - askedAt);
      assert.equal(status, 200, text);
      t.diagnostic(`answered after ${tookMs} ms`);
      const running = await engine.inspect(container);
      assert.deepEqual([running?.Id, running?.State.Status], [stopped?.Id, "running"]);
      assert.equal((await shown()).asleepSince, null);
    } finally {
      await engine.stop();
    }
  });
});
