import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, type PlatformUnderTest, startPlatform, untilState } from "@appserver/testing/kit";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { command } from "./commands.ts";

const app = "com.example.clock";
const timeoutMs = 120_000;
const started = new RegExp(`^${app} listens on port \\d+$`);

interface Line {
  readonly time: string;
  readonly stream: string;
  readonly text: string;
  readonly isCut: boolean;
  readonly container: string;
  readonly generation: number;
}

interface Entry {
  readonly container: string | null;
  readonly generation: number | null;
  readonly isStart: boolean;
  readonly linesLeftOut: number;
  readonly lines: readonly Line[];
}

const lineFields = "time stream text isCut container generation";
const entryFields = `container generation isStart linesLeftOut lines { ${lineFields} }`;

describe("logs of apps", () => {
  let platform: PlatformUnderTest;
  before(async () => {
    platform = await startPlatform();
    await untilState(platform, app, "RUNNING", timeoutMs);
  });
  after(() => platform?.stop());

  const ask = (arguments_: string, fields = `linesLeftOut lines { ${lineFields} }`) =>
    platform.graphql(`{ appLogs(${arguments_}) { ${fields} } }`);
  const linesOf = async (arguments_: string): Promise<readonly Line[]> => {
    const { data, errors } = await ask(arguments_);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return (data as { appLogs: { lines: readonly Line[] } }).appLogs.lines;
  };
  const untilPrinted = () =>
    eventually(
      // The app prints a line for each request, too.
      () => linesOf(`name: "${app}", tail: 1000`),
      (lines) => lines.some(({ text }) => started.test(text)),
    );
  /** Follows the log in the background. */
  const following = (more: string) => {
    const client = createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: platform.administrator,
    });
    const entries: Entry[] = [];
    const failures: unknown[] = [];
    const query = `subscription { appLog(name: "${app}", ${more}) { ${entryFields} } }`;
    client.subscribe<{ appLog: Entry }>(
      { query },
      {
        next: ({ data }) => {
          if (data) entries.push(data.appLog);
        },
        error: (error) => failures.push(error),
        complete: () => {},
      },
    );
    return { entries, failures, stop: () => client.dispose() };
  };

  test("the last lines are returned with time, stream and container", async () => {
    const lines = await untilPrinted();
    const line = lines.findLast(({ text }) => started.test(text));
    assert.partialDeepStrictEqual(line, { stream: "STDOUT", isCut: false, container: `app-${app}` });
    assert.match(line?.time ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok((line?.generation ?? 0) > 0);
    assert.deepEqual(await linesOf(`name: "${app}", tail: 0`), []);
    assert.equal((await linesOf(`name: "${app}", tail: 1`)).length, 1);
    assert.deepEqual(await linesOf(`name: "${app}", since: "2999-01-01T00:00:00Z"`), []);
    assert.deepEqual(
      await linesOf(`name: "${app}", since: "2020-01-01T00:00:00Z"`),
      await linesOf(`name: "${app}", tail: 1000`),
    );
    const reader = following("tail: 1");
    await eventually(async () => reader.entries.length > 0);
    await reader.stop();
    assert.deepEqual(
      reader.entries.flatMap((entry) => entry.lines),
      lines.slice(-1),
    );
  });

  test("a follower gets the lines of the next containers, after a restart and after a new generation", async () => {
    const { entries, failures, stop } = following('tail: 1, since: "2026-01-01T00:00:00Z"');
    try {
      await eventually(async () => entries.length > 0);
      const [first] = entries[0]?.lines ?? [];
      const starts = () => entries.filter(({ isStart }) => isStart);
      const printed = () => entries.flatMap(({ lines }) => lines).filter(({ text }) => started.test(text));
      const next = (count: number) =>
        eventually(async () => printed().length > count, undefined, { timeoutMs, what: "a start" });
      const before = printed().length;

      await command(platform, `restartApp(name: "${app}") { success }`);
      await next(before);
      assert.equal(printed().at(-1)?.generation, first?.generation);
      assert.equal(starts().length, 1);

      await command(platform, `redeployApp(name: "${app}") { success }`);
      await next(before + 1);
      assert.ok(Number(printed().at(-1)?.generation) > Number(first?.generation));
      assert.equal(starts().length, 2);
      assert.deepEqual(
        starts().map(({ generation }) => generation),
        printed()
          .slice(-2)
          .map(({ generation }) => generation),
      );
      assert.ok(entries.every(({ linesLeftOut }) => linesLeftOut === 0));
      assert.deepEqual(failures, []);
    } finally {
      await stop();
    }
  });
});
