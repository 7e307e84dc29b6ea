import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { AppError } from "./app-error.ts";
import { PeriodicTasks } from "./concurrency/periodic-tasks.ts";
import { type Logger, silentLogger } from "./logger.ts";
import { OutageLog } from "./outage-log.ts";
import { DatabaseError } from "./platform-ports/database.ts";

interface Line {
  readonly level: string;
  readonly message: string | undefined;
  readonly [field: string]: unknown;
}

const began = "outage: a dependency does not respond; further warnings about it are counted";
const ended = "outage: a dependency has caused no warning for 15 s";
const away = (): DatabaseError => new DatabaseError("unavailable", "connect ECONNREFUSED");

function recording(lines: Line[], bindings: object = {}): Logger {
  const at =
    (level: string) =>
    (fields: object, message?: string): void =>
      void lines.push({ ...bindings, ...fields, level, message });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (more) => recording(lines, { ...bindings, ...more }),
  };
}

function start() {
  const clock = new FakeClock();
  const lines: Line[] = [];
  const logger = new OutageLog(recording(lines), clock);
  /** Without the lines that are written at debug level instead. */
  const written = (): readonly Line[] => lines.filter(({ level }) => level !== "debug");
  return { clock, lines, logger, written };
}

test("an outage of the database is one line when it begins and one when it ends, with what was counted between", async () => {
  const { clock, logger, written } = start();
  let isAway = true;
  const run = (): void => {
    if (isAway) throw away();
  };
  const tasks = [
    { name: "often", intervalMs: 1_000, run },
    { name: "rarely", intervalMs: 5_000, run },
  ];
  const loops = ["hooks", "marketplace"].map((name) => new PeriodicTasks({ name, clock, logger, tasks }));
  for (const each of loops) each.start();
  await clock.advance(20_000);
  isAway = false;
  const { err, failed, ...first }: Readonly<Record<string, unknown>> = written()[0] ?? {};
  assert.equal((err as Error).message, "connect ECONNREFUSED");
  assert.equal(failed, "hooks: a periodic task failed; retrying at its next interval");
  assert.deepEqual(first, { level: "warn", message: began, dependency: "database", task: "often" });
  await clock.advance(60_000);
  assert.deepEqual(written().slice(1), [
    {
      level: "info",
      message: ended,
      dependency: "database",
      startedAt: "2026-01-01T00:00:00.000Z",
      lastedMs: 20_000,
      suppressed: { hooks: 25, marketplace: 26 },
    },
  ]);
  for (const each of loops) await each.stop();
});

test("the warnings that are not written are at debug level, and the end of an outage belongs to no component", async () => {
  const { clock, logger, lines } = start();
  logger.child({ worker: 1 }).warn({ err: away() }, "hooks: could not claim deliveries; retrying");
  logger.child({ worker: 2 }).warn({ err: away(), app: "a" }, "hooks: could not read a changed app");
  assert.deepEqual(
    lines.map(({ level, message, worker }) => [level, message, worker]),
    [
      ["warn", began, 1],
      ["debug", "hooks: could not read a changed app", 2],
    ],
  );
  await clock.advance(15_000);
  assert.deepEqual([lines.at(-1)?.message, lines.at(-1)?.worker], [ended, undefined]);
});

test("each dependency has its own outage, also as the cause of another error, and a second outage begins after the end", async () => {
  const { clock, logger, written } = start();
  const of = (dependency: "authorization" | "identity" | "broker"): AppError =>
    new AppError("SERVICE_UNAVAILABLE", "does not respond", { dependency });
  const warn = (err: unknown): void => logger.warn({ err }, "test: failed");
  for (const dependency of ["authorization", "identity", "broker"] as const) warn(of(dependency));
  warn(new AppError("SERVICE_UNAVAILABLE", "the permission store does not respond", { cause: away() }));
  warn(new Error("failed", { cause: of("broker") }));
  const begun = (): unknown => written().map(({ message, dependency }) => message === began && dependency);
  assert.deepEqual(begun(), ["authorization", "identity", "broker", "database"]);
  await clock.advance(15_000);
  assert.deepEqual(
    written()
      .slice(4)
      .map(({ suppressed }) => suppressed),
    [{}, {}, { test: 1 }, {}],
  );
  warn(away());
  assert.equal(written().at(-1)?.message, began);
});

test("errors, and warnings that no outage of a dependency caused, are always written", () => {
  const { logger, written } = start();
  logger.warn({ err: away() }, "test: first");
  logger.error({ err: away() }, "marketplace: installation failed");
  logger.warn({ err: new DatabaseError("timeout", "canceling statement due to lock timeout") }, "test: failed");
  logger.warn({ err: new AppError("SERVICE_UNAVAILABLE", "too many inputs") }, "test: refused");
  logger.warn({ app: "a" }, "test: ignored");
  logger.info({ err: away() }, "test: noted");
  assert.deepEqual(
    written().map(({ message }) => message),
    [began, "marketplace: installation failed", "test: failed", "test: refused", "test: ignored", "test: noted"],
  );
  assert.doesNotThrow(() => new OutageLog(silentLogger, new FakeClock()).debug({}));
});
