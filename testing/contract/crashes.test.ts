import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import {
  containerApi,
  eventually,
  type PlatformUnderTest,
  publishApp,
  send,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilState,
  writeAppFolder,
} from "@appserver/testing/kit";
import { command, dataOf, purgeApp } from "./commands.ts";

const app = uniqueName("com.example.crashing");
const timeoutMs = 120_000;

/** `POST /exit` prints thirty lines and an error, and ends the app. With `BROKEN=yes` it ends as soon as it starts. */
const source = `
import { createServer } from "node:http";

if (process.env.BROKEN === "yes") {
  console.error("Error: BROKEN is set");
  process.exit(7);
}
createServer((request, response) => {
  response.end("ok");
  if (request.url !== "/exit") return;
  for (let line = 1; line <= 30; line++) console.log("line " + line);
  // Later, so that it is among the last twenty lines. Its place among them is open: the streams are not ordered with each other.
  setTimeout(() => console.error("Error: no more paper"), 200);
  setTimeout(() => process.exit(3), 400);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

interface Deployment {
  readonly state: string;
  readonly reason: string | null;
  readonly restartCount: number;
  readonly lastCrash: { readonly exitCode: number | null; readonly output: readonly string[] } | null;
  readonly limits: { readonly memoryMb: number; readonly cpuShares: number; readonly pids: number } | null;
  readonly healthCheck: object | null;
}

describe("an app that crashes", () => {
  let platform: PlatformUnderTest;
  let folder = "";
  let keys: TestApp["keys"];
  before(async () => {
    folder = await writeAppFolder(source);
    platform = await startPlatform();
    const first = await manifestOf("1.0.0", "no");
    keys = first.keys;
    await publishApp(platform, app, folder);
    await platform.register(first);
    await platform.client().marketplace.installApp({ name: app });
    await untilState(platform, app, "RUNNING", timeoutMs);
  });
  after(async () => {
    await purgeApp(platform, app);
    await platform?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const manifestOf = (version: string, broken: string, keys?: TestApp["keys"]) =>
    testApp(
      {
        name: app,
        version,
        environment: { BROKEN: broken },
        resources: { memory_mb: 96 },
        web_app: { api: containerApi(app, ["GET", "POST"], { unhealthy_threshold: 2 }) },
      },
      {},
      keys,
    );
  const deployment = async (): Promise<Deployment> => {
    const fields =
      "state reason restartCount lastCrash { exitCode output } limits { memoryMb cpuShares pids } healthCheck { path intervalMs threshold }";
    type Read = { readonly app: { readonly deployment: Deployment } };
    return (await dataOf<Read>(platform, `{ app(name: "${app}") { deployment { ${fields} } } }`)).app.deployment;
  };
  test("an app that runs has no reason; its limits and its health check are shown", async () => {
    const { state, reason, lastCrash, limits, healthCheck } = await deployment();
    assert.deepEqual([state, reason, lastCrash, limits?.memoryMb], ["HEALTHY", null, null, 96]);
    assert.deepEqual(healthCheck, { path: "/health", intervalMs: 1_000, threshold: 2 });
  });

  test("after the app exits, its deployment shows the exit code and the last twenty lines, also when it runs again", async () => {
    assert.equal((await send(platform.httpUrl, `/api/apps/${app}/exit`, { method: "POST" })).status, 200);
    const crashed = await eventually(deployment, ({ lastCrash }) => lastCrash !== null, { timeoutMs });
    const { exitCode, output = [] } = crashed.lastCrash ?? {};
    assert.equal(exitCode, 3);
    // Each stream is in its own order (docs/interface/logs.md#lines).
    const isError = (line: string): boolean => line.startsWith("Error");
    assert.deepEqual(output.filter(isError), ["Error: no more paper"]);
    assert.deepEqual(
      output.filter((line) => !isError(line)),
      Array.from({ length: 19 }, (_, index) => `line ${index + 12}`),
    );
    if (crashed.state !== "HEALTHY") assert.match(crashed.reason ?? "", /^the app exited with code 3: "Error: no more paper"/);
    const again = await eventually(deployment, ({ state }) => state === "HEALTHY", { timeoutMs });
    assert.deepEqual([again.reason, again.lastCrash?.exitCode, again.restartCount], [null, 3, 1]);
  });

  test("the events of its deployments have each transition with its reason, newest first", async () => {
    type Event = { readonly from: string | null; readonly to: string; readonly error: { readonly message: string } | null };
    type Read = { readonly app: { readonly deploymentEvents: readonly Event[] } };
    const query = `{ app(name: "${app}") { deploymentEvents { deploymentId from to error { message } at } } }`;
    // They are stored when they have been published.
    const events = await eventually(
      async () => (await dataOf<Read>(platform, query)).app.deploymentEvents,
      ([newest]) => newest?.to === "HEALTHY",
    );
    assert.deepEqual([events.at(-1)?.from, events.at(-1)?.to], [null, "PENDING"]);
    const failure = events.find(({ error }) => error?.message.startsWith("the app exited with code 3"));
    assert.ok(failure, JSON.stringify(events));
  });

  test("the reason of an app that exits at each start is one sentence with the line that the app printed", async () => {
    await platform.client().marketplace.uninstallApp({ name: app });
    await untilState(platform, app, "UNINSTALLED", timeoutMs);
    // The app counts as uninstalled before its container has stopped.
    await eventually(deployment, ({ reason }) => reason === "its container is stopped", { timeoutMs });
    await platform.register(await manifestOf("1.1.0", "yes", keys));
    await command(platform, `installApp(name: "${app}") { success }`);
    const failing = await eventually(deployment, ({ lastCrash }) => lastCrash?.exitCode === 7, {
      timeoutMs,
    });
    assert.match(failing.reason ?? "", /^the app exited with code 7: "Error: BROKEN is set"/);
    assert.deepEqual(failing.lastCrash, { exitCode: 7, output: ["Error: BROKEN is set"] });
  });
});
