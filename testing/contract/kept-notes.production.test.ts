import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  eventually,
  jsonOf,
  nextNotes,
  type PlatformUnderTest,
  platformVariant,
  send,
  startPlatform,
  until,
  untilState,
  untilStatus,
} from "@appserver/testing/kit";
import type { TestDockerEngine } from "@appserver/testing/kit/docker";
import { appProcess } from "./app-process.ts";
import { command, switchBy } from "./commands.ts";
import { platformEngine } from "./platform-engine.ts";

const app = "com.example.notes";
const container = `app-${app}`;
const api = `/api/apps/${app}/notes`;
const isEmbedded = platformVariant === "embedded";
const skip = isEmbedded && process.platform !== "linux" ? "needs /proc" : false;
const timeoutMs = 120_000;

/** Writes a note every few milliseconds until it is stopped. */
interface Writer {
  /** Resolves with the ids of the notes that were confirmed, and the statuses of requests that failed. */
  stop(): Promise<{ readonly ids: readonly string[]; readonly failures: readonly number[] }>;
}

describe("what the notes app keeps", { skip }, () => {
  let platform: PlatformUnderTest;
  let engine: TestDockerEngine | undefined;
  let headers: Readonly<Record<string, string>>;
  /** Ids of all confirmed notes. */
  const written = new Set<string>();
  before(async () => {
    platform = await startPlatform();
    engine = await platformEngine();
    await untilState(platform, app, "RUNNING", timeoutMs);
    headers = { cookie: await platform.login("admin"), origin: platform.httpUrl, "content-type": "application/json" };
  });
  after(async () => {
    await platform?.stop();
    await engine?.stop();
  });

  const post = () => send(platform.httpUrl, api, { method: "POST", headers, body: '{"text": "kept"}' });
  const idOf = (answer: Awaited<ReturnType<typeof post>>): string => (jsonOf(answer) as { readonly id: string }).id;
  const write = async (): Promise<void> => {
    const answer = await post();
    assert.equal(answer.status, 201, answer.text);
    written.add(idOf(answer));
  };
  const writing = (): Writer => {
    let isOver = false;
    const ids: string[] = [];
    const failures: number[] = [];
    const running = (async () => {
      while (!isOver) {
        const answer = await post();
        if (answer.status === 201) ids.push(idOf(answer));
        else failures.push(answer.status);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    return {
      stop: async () => {
        isOver = true;
        await running;
        return { ids, failures };
      },
    };
  };
  const stored = async (): Promise<readonly string[]> => {
    const { notes } = jsonOf(await untilStatus(platform.httpUrl, `${api}?limit=1000`, 200, { headers })) as {
      readonly notes: readonly { readonly id: string }[];
    };
    return notes.map(({ id }) => id);
  };
  const assertKept = async (): Promise<void> => {
    const ids = new Set(await stored());
    assert.deepEqual(
      [...written].filter((id) => !ids.has(id)),
      [],
    );
  };
  /** Number of times that the hook of each of these notes was triggered. */
  const triggers = async (ids: readonly string[]): Promise<readonly number[]> => {
    const { rows } = await platform.onDatabase((sql) =>
      sql.query<{ data: string }>(`select data from hooks.events where hook_name = '${app}.created'`),
    );
    const announced = rows.map(({ data }) => (JSON.parse(data) as { readonly id: string }).id);
    return ids.map((id) => announced.filter((each) => each === id).length);
  };
  /** What ends when the app is killed: a process or a container. */
  const running = async () => (engine ? (await engine.inspect(container))?.Id : appProcess(platform, app)?.pid);

  test("notes are there after a redeployment, an upgrade and a rollback, and none is announced twice", async () => {
    await platform.register(await nextNotes());
    await command(platform, `approvePermissions(name: "${app}", scopes: ["page:origin"]) { success }`);
    const writer = writing();
    await switchBy(platform, `redeployApp(name: "${app}")`, timeoutMs);
    await switchBy(platform, `upgradeApp(name: "${app}", version: "1.1.0")`, timeoutMs);
    const found = await send(platform.httpUrl, `/api/apps/${app}/search?query=kept`, { headers });
    assert.ok((jsonOf(found) as { readonly total: number }).total > 0, found.text);
    await switchBy(platform, `rollbackApp(name: "${app}", version: "1.0.0")`, timeoutMs);
    const { ids, failures } = await writer.stop();
    assert.deepEqual(failures, []);
    for (const id of ids) written.add(id);
    await assertKept();
    await until("every note is announced", async () => !(await triggers(ids)).includes(0));
    assert.deepEqual(new Set(await triggers(ids)), new Set([1]));
    // Other tests share the platform.
    await command(platform, `revokePermissions(name: "${app}", scopes: ["page:origin"]) { success }`);
  });

  test("notes are there after the app was killed while it stored them", async () => {
    // The end of a switch: the deployment before has ended, and the container has its final name.
    const nameOf = async () =>
      (await platform.graphql(`{ app(name: "${app}") { deployment { containerName } } }`)).data as {
        readonly app: { readonly deployment: { readonly containerName: string } | null };
      };
    await eventually(nameOf, (seen) => seen.app.deployment?.containerName === container, { timeoutMs, what: "its name" });
    const before = await running();
    assert.ok(before);
    const writer = writing();
    await write();
    if (engine) await engine.killContainer(container);
    else process.kill(Number(before), "SIGKILL");
    const isAnother = async () => ![undefined, before].includes(await running());
    await until("the app runs again", isAnother, timeoutMs);
    await untilState(platform, app, "RUNNING", timeoutMs);
    await untilStatus(platform.httpUrl, api, 200, { headers });
    const { ids } = await writer.stop();
    for (const id of ids) written.add(id);
    await assertKept();
    await until("every note is announced", async () => !(await triggers([...written])).includes(0));
  });

  test("notes are there after another installation, and none after an uninstallation that deletes the data", async () => {
    await command(platform, `uninstallApp(name: "${app}") { success }`);
    await command(platform, `installApp(name: "${app}") { success }`);
    await untilState(platform, app, "RUNNING", timeoutMs);
    await assertKept();
    await platform.client().marketplace.uninstallApp({ name: app, purgeData: true });
    await command(platform, `installApp(name: "${app}") { success }`);
    await untilState(platform, app, "RUNNING", timeoutMs);
    assert.deepEqual(await stored(), []);
  });
});
