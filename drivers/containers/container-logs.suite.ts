import assert from "node:assert/strict";
import { test } from "node:test";
import { type LogLine, maxLogLineBytes } from "@appserver/kernel";
import {
  ContainerError,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerView,
  type LogRequest,
} from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/basics";
import { ask } from "./ask-probe.ts";

/** What the tests of logs need of the suite. */
interface LogTestParts {
  readonly runtime: () => ContainerRuntime;
  readonly running: (spec: ContainerSpec) => Promise<ContainerView>;
  readonly specOf: (app: string, changes?: Partial<ContainerSpec>) => ContainerSpec;
}

export async function readLines(runtime: ContainerRuntime, name: string, request: LogRequest = {}): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const batch of runtime.logs(name, request)) lines.push(...batch);
  return lines;
}

/** Returns what the container has printed, once it has printed anything. */
export async function printedBy(runtime: ContainerRuntime, name: string): Promise<string> {
  const lines = await eventually(
    () => readLines(runtime, name),
    (seen) => seen.length > 0,
  );
  return lines.map(({ text }) => `${text}\n`).join("");
}

/** Reads in the background. */
function following(runtime: ContainerRuntime, name: string, request: LogRequest = {}) {
  const texts: string[] = [];
  const abort = new AbortController();
  const ended = (async () => {
    for await (const batch of runtime.logs(name, { ...request, follow: true, signal: abort.signal })) {
      assert.ok(batch.length > 0, "a batch is never empty");
      texts.push(...batch.map(({ text }) => text));
    }
  })();
  ended.catch(() => {});
  return { texts, ended, abort };
}

/** Declares the tests of `logs`. */
export function logTests({ runtime, running, specOf }: LogTestParts): void {
  const untilPrinted = (name: string, text: string): Promise<readonly LogLine[]> =>
    eventually(
      () => readLines(runtime(), name),
      (lines) => lines.some((line) => line.text === text),
    );

  test("logs returns the lines of both streams with their times, oldest first", async () => {
    const view = await running(specOf("logging"));
    await untilPrinted(view.name, "probe warns");
    await ask(view, "/print?text=number-%23&lines=5");
    await ask(view, "/print?text=&stream=stderr");
    await ask(view, "/print?text=caf%C3%A9");
    const lines = await untilPrinted(view.name, "café");
    const of = (stream: string): string[] => lines.filter((line) => line.stream === stream).map(({ text }) => text);
    assert.deepEqual(of("stdout"), ["probe is up", ...[0, 1, 2, 3, 4].map((number) => `number-${number}`), "café"]);
    assert.deepEqual(of("stderr"), ["probe warns", ""]);
    for (const stream of ["stdout", "stderr"]) {
      const times = lines.filter((line) => line.stream === stream).map(({ time }) => time);
      assert.deepEqual(times, times.toSorted());
      for (const time of times) {
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
        assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, time);
      }
    }
    assert.ok(lines.every(({ isCut }) => !isCut));
  });

  test("logs returns only the last lines, and only those after a time", async () => {
    const view = await running(specOf("tailing"));
    await untilPrinted(view.name, "probe warns");
    await ask(view, "/print?text=early-%23&lines=2000");
    const early = await untilPrinted(view.name, "early-1999");
    await ask(view, "/print?text=late-%23&lines=3");
    await untilPrinted(view.name, "late-2");
    const texts = async (request: LogRequest): Promise<string[]> =>
      (await readLines(runtime(), view.name, request)).map(({ text }) => text);
    assert.deepEqual(await texts({ tail: 4 }), ["early-1999", "late-0", "late-1", "late-2"]);
    assert.deepEqual(await texts({ tail: 0 }), []);
    const since = early.findLast(({ text }) => text === "early-1999")?.time;
    assert.deepEqual(await texts({ since }), ["late-0", "late-1", "late-2"]);
    assert.deepEqual(await texts({ since, tail: 2 }), ["late-1", "late-2"]);
    assert.deepEqual(await texts({ since: "2999-01-01T00:00:00.000000000Z" }), []);
  });

  test("a line longer than the maximum is cut and marked", async () => {
    const view = await running(specOf("long-lines"));
    await ask(view, `/print-long?length=${3 * maxLogLineBytes + 5}`);
    const lines = (await untilPrinted(view.name, "after")).filter(({ stream }) => stream === "stdout");
    assert.deepEqual(
      lines.map(({ text, isCut }) => [text.length, isCut]),
      [
        ["probe is up".length, false],
        [maxLogLineBytes, true],
        ["after".length, false],
      ],
    );
  });

  test("logs of an unknown container are not_found", async () => {
    await assert.rejects(
      readLines(runtime(), "app-nobody.knows"),
      (error) => error instanceof ContainerError && error.reason === "not_found",
    );
  });

  test("lines follow in their order until the container ends, also over a rename", async () => {
    const spec = specOf("following-g2", { aliases: [specOf("following-g2").name] });
    const view = await running(spec);
    await untilPrinted(view.name, "probe warns");
    const follower = following(runtime(), view.name, { tail: 0 });
    // The first line shows that it follows. Until then, others may be part of what was printed before.
    await eventually(async () => {
      await ask(view, "/print?text=begin");
      return follower.texts.length > 0;
    });
    await runtime().rename(spec.name, specOf("following").name);
    await ask(view, "/print?text=live-%23&lines=5000");
    await eventually(async () => follower.texts.includes("live-4999"));
    const expected = Array.from({ length: 5_000 }, (_, index) => `live-${index}`);
    assert.deepEqual(
      follower.texts.filter((text) => text.startsWith("live-")),
      expected,
    );
    await ask(view, "/print?text=last");
    await runtime().stop(specOf("following").name, 2_000);
    await follower.ended;
    assert.equal(follower.texts.at(-1), "last");
    if (!runtime().abilities.keepsOutputOfStopped) return;
    const again = following(runtime(), specOf("following").name, { tail: 1 });
    await again.ended;
    assert.deepEqual(again.texts, ["last"]);
  });

  test("an aborted iteration ends without an error, and one that is left does not disturb others", async () => {
    const view = await running(specOf("leaving"));
    await untilPrinted(view.name, "probe warns");
    const follower = following(runtime(), view.name);
    await eventually(async () => follower.texts.length >= 2);
    for await (const batch of runtime().logs(view.name, { follow: true })) {
      assert.ok(batch.length > 0);
      break;
    }
    follower.abort.abort();
    await follower.ended;
    await ask(view, "/print?text=still");
    await untilPrinted(view.name, "still");
  });
}
