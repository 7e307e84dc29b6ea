import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createPlatformClient } from "@appserver/sdk";
import { eventually, jsonOf, type PlatformUnderTest, send, untilState, untilStatus } from "@appserver/testing/kit";
import { type InspectedContainer, TestDockerEngine, withoutPython } from "@appserver/testing/kit/docker";
import { Code } from "@connectrpc/connect";

const [notes, clock, board] = ["app-com.example.notes", "app-com.example.clock", "app-com.example.board"];
const missingPython = await withoutPython();
/** The health interval of the notes app, the maximum delay of its next attempt, and a start on a busy machine. */
const backWithinMs = 5_000 + 10_000 + 15_000;

/** The parts of a card of the board that tests read. */
interface Card {
  readonly id: string;
  /** The note that it was added for. */
  readonly noteId: string | null;
}

/** A platform whose apps run in containers of an engine. */
export interface DockerVariant {
  /** `start` gets the path of the engine's socket. */
  readonly start: (socketPath: string) => Promise<PlatformUnderTest>;
  /** What an unsigned call of the marketplace gets at the address for containers. */
  readonly unsigned: Code;
  /** For a platform of this file alone: stops it as Ctrl-C does. */
  readonly interrupt?: (platform: PlatformUnderTest) => Promise<number | null>;
}

/** Declares the tests of apps in containers (docs/interface/containers.md). */
export function dockerSuite(
  name: string,
  found: TestDockerEngine | { readonly unavailable: string },
  variant: DockerVariant,
): void {
  const docker = found instanceof TestDockerEngine ? found : undefined;
  describe(name, { skip: found instanceof TestDockerEngine ? false : found.unavailable }, () => {
    let platform: PlatformUnderTest;
    let instance: string;
    let network: string;

    const networkOf = (name: string, id: string): string => `${instance}-app-${name}-${id.slice(-8)}`;
    const engine = (): TestDockerEngine => docker ?? assert.fail("no engine");
    const container = async (name: string): Promise<InspectedContainer> =>
      (await engine().inspect(name)) ?? assert.fail(`there is no container ${name}`);

    before(async () => {
      platform = await variant.start(engine().socketPath);
      await untilState(platform, "com.example.notes", "RUNNING", 60_000);
      await untilState(platform, "com.example.clock", "RUNNING", 60_000);
      instance = (await container(notes)).Config.Labels["appserver.instance"] ?? "";
      network = `appserver-${instance}`;
    });
    after(async () => {
      await platform?.stop();
      // The platform keeps stopped containers for the next start on the same data, but these tests do not start it again.
      if (instance && variant.interrupt) await engine().tidyUp(instance, network);
      await docker?.stop();
    });

    const ping = "/api/apps/com.example.notes/ping";

    test("an installed app runs in a container with its labels, on a network of its own, behind the proxy", async () => {
      const { Config, State, NetworkSettings } = await container(notes);
      const { data } = await platform.graphql(
        '{ app(name: "com.example.notes") { id deployment { id state containerId containerName generation driver } } }',
      );
      const { app } = data as { app: { id: string; deployment: Record<string, unknown> } };
      assert.equal(State.Status, "running");
      assert.partialDeepStrictEqual(Config.Labels, {
        "appserver.instance": instance,
        "appserver.app-id": app.id,
        "appserver.deployment-id": app.deployment["id"],
        "appserver.generation": String(app.deployment["generation"]),
      });
      assert.partialDeepStrictEqual(app.deployment, { state: "HEALTHY", containerName: notes, driver: "docker" });
      assert.deepEqual(Object.keys(NetworkSettings.Networks), [networkOf("com.example.notes", app.id)]);
      assert.equal((await untilStatus(platform.httpUrl, ping, 200)).text, '{"pong":true}');
    });

    test("containers call the platform: the clock counts the notes with a signed request", async () => {
      const headers = { cookie: await platform.login("admin"), "content-type": "application/json" };
      const posted = await send(platform.httpUrl, "/api/apps/com.example.notes/notes", {
        method: "POST",
        headers,
        body: '{"text": "seen from the other container"}',
      });
      assert.equal(posted.status, 201, posted.text);
      const stored = jsonOf(await send(platform.httpUrl, "/api/apps/com.example.notes/notes?limit=1", { headers }));
      const now = await send(platform.httpUrl, "/api/apps/com.example.clock/now", { headers });
      assert.partialDeepStrictEqual(jsonOf(now), { notes: { count: (stored as { total: number }).total } });
    });

    test("containers receive their settings, and the platform refuses unsigned calls there", async () => {
      const { data } = await platform.graphql('{ app(name: "com.example.clock") { id } }');
      const { id } = (data as { app: { id: string } }).app;
      const mutation = "mutation ($id: ID!, $s: JSON!) { updateSettings(appID: $id, settings: $s) { success } }";
      await platform.graphql(mutation, { id, s: { "clock.timezone": "Asia/Tokyo" } });
      const headers = { cookie: await platform.login("admin") };
      await eventually(
        async () =>
          jsonOf(await send(platform.httpUrl, "/api/apps/com.example.clock/now", { headers })) as { timezone?: string },
        (now) => now.timezone === "Asia/Tokyo",
      );
      const environment = (await container(clock)).Config.Env;
      const address = environment.find((line) => line.startsWith("APPSERVER_GRPC_ADDRESS="))?.split("=")[1];
      const outside = createPlatformClient({ grpcUrl: `http://${address}` });
      await assert.rejects(outside.settings.getSettings({ appId: id }), { code: Code.Unauthenticated });
      await assert.rejects(outside.marketplace.getApp({ name: clock }), { code: variant.unsigned });
    });

    test("an app in Python calls the platform, and its storage outlives its container", { skip: missingPython }, async () => {
      const headers = { cookie: await platform.login("admin"), "content-type": "application/json" };
      const cards = "/api/apps/com.example.board/cards";
      const post = async (path: string, body: object): Promise<string> => {
        const { status, text } = await send(platform.httpUrl, path, { method: "POST", headers, body: JSON.stringify(body) });
        assert.equal(status, 201, text);
        return (JSON.parse(text) as { id: string }).id;
      };
      const find = async (): Promise<readonly Card[]> => {
        const { status, text } = await send(platform.httpUrl, cards, { headers });
        return status === 200 ? (JSON.parse(text) as { cards: Card[] }).cards : [];
      };
      await untilState(platform, "com.example.board", "RUNNING", 60_000);
      const { Id, Config, HostConfig } = await container(board);
      assert.equal(Config.User, "65532:65532");
      assert.partialDeepStrictEqual(HostConfig, { ReadonlyRootfs: true, CapDrop: ["ALL"] });
      await assert.rejects(engine().archive(board, "/bin/sh"), { status: 404 });

      await untilStatus(platform.httpUrl, cards, 200, { headers });
      const card = await post(cards, { text: "kept" });
      // The hook arrives over gRPC, and the app reads the note over HTTP.
      const note = await post("/api/apps/com.example.notes/notes", { text: "of a note" });
      const isAdded = ({ id, noteId }: Card): boolean => id === card || noteId === note;
      const added = (await eventually(find, (all) => all.filter(isAdded).length === 2)).filter(isAdded);

      await engine().removeContainer(board);
      const findInNext = async (): Promise<readonly Card[]> => {
        const next = await engine().inspect(board);
        return next === undefined || next.Id === Id ? [] : (await find()).filter(isAdded);
      };
      const options = { timeoutMs: backWithinMs, intervalMs: 200, what: "it was replaced" };
      assert.deepEqual(await eventually(findInNext, (kept) => kept.length > 0, options), added);
      for (const { id } of added) await send(platform.httpUrl, `${cards}/${id}`, { method: "DELETE", headers });
    });

    const { interrupt } = variant;
    if (interrupt === undefined) return;
    test("Ctrl-C stops every container of this platform", async () => {
      const label = `appserver.instance=${instance}`;
      const apps = missingPython === false ? [board, clock, notes] : [clock, notes];
      assert.deepEqual([...(await engine().containers(label, false))].sort(), apps);
      assert.equal(await interrupt(platform), 0);
      assert.deepEqual(await engine().containers(label, false), []);
    });
  });
}
