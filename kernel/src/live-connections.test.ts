import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock, rejectsWith } from "@appserver/testing/kit";
import { AppError } from "./app-error.ts";
import { type LiveConnection, LiveConnections } from "./live-connections.ts";
import { silentLogger } from "./logger.ts";

const denied = new AppError("AUTHENTICATION_FAILED", "the session is over");
const away = new AppError("SERVICE_UNAVAILABLE", "sessions cannot be checked");

class Watched implements LiveConnection {
  readonly caller = { kind: "user", id: "alice", displayName: "Alice" } as const;
  checks = 0;
  outcome: () => void | Promise<void> = () => {};
  readonly ended: string[] = [];

  async check(): Promise<void> {
    this.checks += 1;
    await this.outcome();
  }

  end(reason: AppError): void {
    this.ended.push(reason.code);
  }
}

function started(): { clock: FakeClock; live: LiveConnections } {
  const clock = new FakeClock();
  const live = new LiveConnections({ clock, logger: silentLogger });
  live.start();
  return { clock, live };
}

describe("live connections", () => {
  test("each is checked within a minute, repeatedly, and ends when the check refuses it", async () => {
    const { clock, live } = started();
    const connection = new Watched();
    live.join(connection);
    await clock.advance(60_000);
    assert.equal(connection.checks, 1);
    await clock.advance(60_000);
    assert.equal(connection.checks, 2);
    connection.outcome = () => {
      throw denied;
    };
    await clock.advance(60_000);
    assert.deepEqual(connection.ended, ["AUTHENTICATION_FAILED"]);
    await clock.advance(600_000);
    assert.equal(connection.checks, 3, "what has ended is not checked");
    live.stop();
  });

  test("a connection that cannot be ended does not keep others from being checked", async () => {
    const { clock, live } = started();
    const broken = new Watched();
    broken.outcome = () => {
      throw denied;
    };
    broken.end = () => {
      throw new Error("the socket is not open");
    };
    const other = new Watched();
    for (const connection of [broken, other]) live.join(connection);
    await clock.advance(60_000);
    await clock.advance(60_000);
    assert.deepEqual([broken.checks, other.checks], [1, 2]);
    live.stop();
  });

  test("an event checks the connections it concerns at once; a change during a check is not missed", async () => {
    const { clock, live } = started();
    const [concerned, other] = [new Watched(), new Watched()];
    let release = (): void => {};
    concerned.outcome = () =>
      new Promise((resolve) => {
        release = resolve;
      });
    live.join(concerned);
    live.join(other);
    const alone = (connection: LiveConnection): boolean => connection === concerned;
    live.recheck(alone);
    live.recheck(alone);
    concerned.outcome = () => {
      throw denied;
    };
    release();
    await clock.advance(0);
    assert.deepEqual([concerned.checks, concerned.ended, other.checks], [2, ["AUTHENTICATION_FAILED"], 0]);
    live.stop();
  });

  test("a connection that cannot be checked is kept for five minutes and not longer", async () => {
    const { clock, live } = started();
    const connection = new Watched();
    connection.outcome = () => {
      throw away;
    };
    live.join(connection);
    await clock.advance(290_000);
    assert.deepEqual(connection.ended, []);
    await clock.advance(100_000);
    assert.deepEqual(connection.ended, ["SERVICE_UNAVAILABLE"]);
    live.stop();
  });

  test("one app has at most 100 streams open to the platform, and others still get theirs", () => {
    const { live } = started();
    const of = (name: string, app?: string): LiveConnection =>
      Object.assign(new Watched(), { caller: { kind: "app", name, id: "" } as const, ...(app === undefined ? {} : { app }) });
    const leaves = Array.from({ length: 100 }, () => live.join(of("com.example.many")));
    const refused = rejectsWith("RATE_LIMIT_EXCEEDED", /com\.example\.many has 100 streams open/);
    assert.throws(() => live.join(of("com.example.many")), refused);
    live.join(of("com.example.many", "com.example.other"));
    live.join(of("com.example.other"));
    live.join(new Watched());
    const [first = () => {}] = leaves;
    first();
    first();
    live.join(of("com.example.many"));
    assert.throws(() => live.join(of("com.example.many")), refused);
    live.stop();
  });

  test("one user has at most 100 streams open to the platform, and others still get theirs", () => {
    const { live } = started();
    const of = (id: string): LiveConnection =>
      Object.assign(new Watched(), { caller: { kind: "user", id, displayName: id } as const });
    const leaves = Array.from({ length: 100 }, () => live.join(of("bob")));
    const refused = rejectsWith("RATE_LIMIT_EXCEEDED", /user:bob has 100 streams open/);
    assert.throws(() => live.join(of("bob")), refused);
    live.join(Object.assign(new Watched(), { caller: { kind: "app", name: "bob", id: "" } as const }));
    live.join(of("alice"));
    live.join(Object.assign(of("bob"), { app: "com.example.notes" }));
    live.join(Object.assign(of("bob"), { isSocket: true }));
    leaves[0]?.();
    live.join(of("bob"));
    live.stop();
  });

  test("a closed connection is neither checked nor ended, and many are checked a few at a time", async () => {
    const { clock, live } = started();
    const gone = new Watched();
    live.join(gone)();
    let [open, most] = [0, 0];
    for (let index = 0; index < 500; index += 1) {
      const connection = Object.assign(new Watched(), { app: "com.example.notes" });
      connection.outcome = async () => {
        open += 1;
        most = Math.max(most, open);
        await clock.sleep(1);
        open -= 1;
      };
      live.join(connection);
    }
    live.recheck(() => true);
    await clock.advance(1_000);
    assert.deepEqual([gone.checks, open, most], [0, 0, 32]);
    live.stop();
  });
});
