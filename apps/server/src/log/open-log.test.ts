import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { logJson } from "@appserver/kernel";
import { eventually } from "@appserver/testing/kit";
import { openLog } from "./open-log.ts";

const fieldsOf = {
  fields: { app: "com.example.notes" },
  "fields that know their JSON": { app: "not this", [logJson]: () => '"app":"com.example.notes"' },
};
for (const [what, fields] of Object.entries(fieldsOf))
  test(`a line of ${what} is one JSON object, each key once, with the level as a word and the time in ISO 8601`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "open-log-"));
    const file = join(folder, "server.log");
    const logger = openLog({ service: "appserver", level: "info", output: { file } });
    logger.child({ component: "proxy" }).info(fields, "request forwarded");
    logger.debug({}, "below the level");
    const [line, ...more] = await linesOf(file);
    assert.deepEqual(more, []);
    const { time, pid, ...rest } = JSON.parse(line ?? "");
    assert.equal(new Date(time).toISOString(), time);
    assert.equal(pid, process.pid);
    assert.deepEqual(rest, {
      level: "info",
      service: "appserver",
      component: "proxy",
      app: "com.example.notes",
      msg: "request forwarded",
    });
    // JSON.parse keeps the last of two equal keys, so this counts the keys in the text.
    const keys = [...(line ?? "").matchAll(/[{,]"([^"]+)":/g)].map(([, key]) => key);
    assert.deepEqual(keys, [...new Set(keys)]);
    await rm(folder, { recursive: true });
  });

async function linesOf(file: string): Promise<readonly string[]> {
  const text = await eventually(
    () => readFile(file, "utf8").catch(() => ""),
    (seen) => seen.endsWith("\n"),
  );
  return text.trimEnd().split("\n");
}
