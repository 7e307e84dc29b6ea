import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, jsonOf, scaled, send, until } from "@appserver/testing/kit";
import { downDockerEngine, ensureDockerEngine } from "../../../tools/services/docker-engine.ts";
import { servicesFolder } from "../../../tools/services/shared-service.ts";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "../switches/container-platform.ts";
import { notes, Releases } from "../switches/releases.ts";
import { switchOptions } from "../switches/switch-platform.ts";
import { SwitchedApp } from "../switches/switched-app.ts";

const isLongRun = scaled(100) === 100;
/**
 * Only this file stops this engine and this registry. An engine deletes the rules of another one that runs, on which tests of isolation
 * depend, so that there is only one in `npm test`.
 */
const folders = {
  ...(isLongRun ? { engine: join(servicesFolder, "docker-crashes") } : {}),
  registry: join(servicesFolder, "registry-crashes"),
};
const services = await startContainerServices(folders);
const rounds = scaled(10);
/** Of the streaming app: its health interval, and a start on a busy machine. */
const backWithinMs = 5_000 + 15_000;
const everyMs = 20;
/** Requests continue for this time after the app was called healthy. */
const afterHealthyMs = 2_000;

interface Seen {
  readonly sentAt: number;
  readonly status: number;
}

interface Deployed {
  readonly state: string;
  readonly health: string;
  readonly deployment: {
    readonly state: string;
    readonly containerId: string | null;
    readonly imageDigest: string | null;
  } | null;
  readonly versionHistory: readonly { readonly kind: string; readonly imageDigest: string | null }[];
}

describe("apps whose containers end", { skip: "unavailable" in services ? services.unavailable : false }, () => {
  let platform: ContainerPlatform;
  let releases: Releases;
  let app: SwitchedApp;
  let restarted: { stop(): Promise<void> } | undefined;
  const { engine, registry } = services as ContainerServices;
  before(async () => {
    platform = await ContainerPlatform.start(services as ContainerServices, {
      servers: 2,
      orchestrators: 1,
      ofOrchestrators: switchOptions(2_000),
    });
    releases = await Releases.create();
    app = await SwitchedApp.install(platform, await releases.streaming("1.0.0"), "/instance");
  });
  after(async () => {
    await platform?.stop();
    await releases?.remove();
    await restarted?.stop();
  });

  const query = async <T>(document: string): Promise<T> => {
    const { data, errors } = await platform.graphql(document);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data as T;
  };
  const deployed = async (name: string): Promise<Deployed> => {
    const fields = "state health deployment { state containerId imageDigest } versionHistory { kind imageDigest }";
    return (await query<{ readonly app: Deployed }>(`{ app(name: "${name}") { ${fields} } }`)).app;
  };
  const isUp = ({ state, health, deployment }: Deployed): boolean =>
    state === "RUNNING" && health === "HEALTHY" && deployment?.state === "HEALTHY";
  /** Returns its container, once the one before has ended. */
  const container = async (name: string): Promise<string> => {
    const options = { timeoutMs: 60_000, what: `${name} has one container` };
    const [id] = await eventually(
      () => platform.running(name),
      (ids) => ids.length === 1,
      options,
    );
    return id ?? assert.fail();
  };
  /** Waits until the app is called healthy in another container than this one. */
  const untilReplaced = (name: string, old: string) =>
    eventually(
      () => deployed(name),
      (seen) => isUp(seen) && seen.deployment?.containerId !== old,
      {
        timeoutMs: 60_000,
        intervalMs: 50,
        what: `${name} runs in another container`,
      },
    );
  /** Ends the app's container, and returns the version that the next one has. */
  const versionAfter = async (end: (id: string) => Promise<void>): Promise<string> => {
    const old = await container(app.name);
    await end(old);
    await until(
      "the app runs in another container",
      async () => {
        const [id, ...others] = await platform.running(app.name);
        // During a switch both run.
        return id !== undefined && id !== old && others.length === 0 && isUp(await deployed(app.name));
      },
      60_000,
    );
    return versionAt(0);
  };
  const versionAt = async (server: number): Promise<string> => {
    const answer = await send(platform.httpUrls[server] ?? "", app.path("/instance"));
    assert.equal(answer.status, 200, answer.text);
    return (jsonOf(answer) as { readonly version: string }).version;
  };
  const kill = (id: string) => engine.killContainer(id);
  const remove = (id: string) => engine.removeContainer(id);

  test("after `docker rm -f` no request fails once the app is called healthy, on any server", async (t) => {
    for (let round = 0; round < rounds; round++) {
      const old = await container(app.name);
      const seen: Seen[] = [];
      let isOver = false;
      const callers = platform.httpUrls.map(async (httpUrl) => {
        while (!isOver) {
          const sentAt = performance.now();
          seen.push({ sentAt, status: (await send(httpUrl, app.path("/instance"))).status });
          await sleep(everyMs);
        }
      });
      const removedAt = performance.now();
      await remove(old);
      await untilReplaced(app.name, old);
      const healthyAt = performance.now();
      await sleep(afterHealthyMs);
      isOver = true;
      await Promise.all(callers);
      const late = seen.filter(({ sentAt, status }) => sentAt >= healthyAt && status !== 200);
      assert.deepEqual(late, [], `of ${seen.length} requests`);
      const downMs = Math.round(healthyAt - removedAt);
      t.diagnostic(`round ${round + 1}: healthy after ${downMs} ms, ${seen.length} requests`);
      assert.ok(downMs <= backWithinMs, `${downMs} ms`);
    }
  });

  test("other code under the same tag runs only after a redeployment that pulls", async () => {
    const { deployment } = await deployed(app.name);
    const other = await releases.streaming("1.0.0-other");
    await platform.publish(app.name, other.folder);
    assert.equal(await versionAfter(kill), "1.0.0");
    assert.equal(await versionAfter(remove), "1.0.0");
    const orchestrator = platform.orchestrator(0);
    await orchestrator.stop();
    orchestrator.start();
    await orchestrator.ready();
    assert.equal(await versionAfter(remove), "1.0.0");
    const redeploy = (pull: boolean) => query(`mutation { redeployApp(name: "${app.name}", pull: ${pull}) { success } }`);
    await versionAfter(() => redeploy(false).then(() => {}));
    assert.equal(await versionAt(1), "1.0.0");
    assert.equal((await deployed(app.name)).deployment?.imageDigest, deployment?.imageDigest);
    assert.equal(await versionAfter(() => redeploy(true).then(() => {})), "1.0.0-other");
    const { versionHistory } = await deployed(app.name);
    const [pulled, same] = versionHistory;
    assert.deepEqual([pulled?.kind, same?.kind], ["REDEPLOY", "REDEPLOY"]);
    assert.equal(same?.imageDigest, deployment?.imageDigest);
    assert.notEqual(pulled?.imageDigest, same?.imageDigest);
    // Other tests leave images of the same app from their registry on a shared engine.
    const own = `${registry.host}/${app.name}@`;
    const images = async () => (await engine.imageDigests()).filter((image) => image.startsWith(own));
    const [left] = await eventually(images, (found) => found.length === 1, {
      timeoutMs: 60_000,
      what: "the old image is removed",
    });
    assert.ok(pulled?.imageDigest && left?.endsWith(pulled.imageDigest), left);
  });

  // It takes another engine.
  if (isLongRun) {
    test("notes are there after the engine was restarted, and the apps run again", async (t) => {
      if (!engine.socketPath.startsWith("/run/appserver-docker-")) return t.skip("the engine belongs to the machine");
      const noted = await SwitchedApp.install(platform, await releases.notes("1.0.0"), "/ping");
      const headers = { authorization: `Bearer ${platform.group.adminToken}`, "content-type": "application/json" };
      const written: string[] = [];
      for (let n = 0; n < 20; n++) {
        const body = JSON.stringify({ text: `note ${n}` });
        const answer = await send(platform.httpUrls[n % 2] ?? "", noted.path("/notes"), { method: "POST", headers, body });
        assert.equal(answer.status, 201, answer.text);
        written.push((jsonOf(answer) as { readonly id: string }).id);
      }
      assert.ok(await downDockerEngine(folders.engine));
      const again = await ensureDockerEngine({ folder: folders.engine });
      assert.ok(!("unavailable" in again));
      restarted = again;
      for (const name of [app.name, notes]) {
        await eventually(() => deployed(name), isUp, { timeoutMs: 120_000, what: `${name} runs again` });
        for (const httpUrl of platform.httpUrls) {
          const path = name === notes ? noted.path("/ping") : app.path("/instance");
          await eventually(
            async () => (await send(httpUrl, path)).status,
            (status) => status === 200,
            { timeoutMs: 60_000, what: path },
          );
        }
      }
      const answer = await send(platform.httpUrls[0] ?? "", noted.path("/notes?limit=100"), { headers });
      const { notes: found } = jsonOf(answer) as { readonly notes: readonly { readonly id: string }[] };
      assert.deepEqual(found.map(({ id }) => id).sort(), written.sort());
    });
  }

  test("without the registry an app comes back from the image that the engine has", async () => {
    await registry.stop();
    await assert.rejects(fetch(`http://${registry.host}/v2/`));
    assert.equal(await versionAfter(kill), "1.0.0-other");
    assert.equal(await versionAfter(remove), "1.0.0-other");
  });
});
