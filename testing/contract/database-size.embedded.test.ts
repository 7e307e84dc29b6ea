import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, type PlatformUnderTest, startOwnPlatform } from "@appserver/testing/kit";
import pg from "pg";
import { appProcess } from "./app-process.ts";
import { dataOf } from "./commands.ts";

interface App {
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionTime: string;
  }[];
  readonly database: { readonly usedBytes: number; readonly limitBytes: number; readonly fullSince: string } | null;
}

const name = "com.example.clock";
const skip = process.platform !== "linux" ? "needs /proc" : false;
let platform: PlatformUnderTest;
before(async () => {
  platform = await startOwnPlatform("a small database is over its limit, and measured every 200 ms", {
    environment: {
      APPSERVER_CONTAINERS_DATABASE_SIZE_LIMIT: "12MiB",
      APPSERVER_CONTAINERS_DATABASE_SIZE_INTERVAL: "200ms",
    },
  });
});
after(() => platform?.stop());

/** Writes with what the app has in its environment until the platform ends the session. */
async function fillDatabase(): Promise<void> {
  const lines = appProcess(platform, name)?.environment ?? [];
  const variables = new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
  const [host, port, user, password, database] = ["HOST", "PORT", "USER", "PASSWORD", "NAME"].map(
    (part) => variables.get(`DB_${part}`) ?? "",
  );
  const client = new pg.Client({ host, port: Number(port), user, password, database });
  client.on("error", () => {});
  await client.connect();
  await client.query("create table filled (text text)");
  await assert.rejects(async () => {
    for (;;) await client.query("insert into filled select repeat(md5(i::text), 30) from generate_series(1, 500) i");
  });
}

test("a database over its limit is a condition of its app, and shown with size and limit", { skip }, async () => {
  await fillDatabase();
  const query = `{ app(name: "${name}") {
    conditions { type status reason message lastTransitionTime } database { usedBytes limitBytes fullSince } } }`;
  const { app } = await eventually(
    () => dataOf<{ readonly app: App }>(platform, query),
    // Read one after the other: the database may have become full in between.
    ({ app: { conditions, database } }) => conditions.length > 0 && database?.fullSince != null,
    { timeoutMs: 60_000, what: "the condition" },
  );
  const { message, ...condition } = app.conditions[0] ?? {};
  const { fullSince = "", usedBytes = 0 } = app.database ?? {};
  assert.deepEqual(
    [app.conditions.length, condition],
    [1, { type: "DatabaseAvailable", status: "False", reason: "DatabaseFull", lastTransitionTime: fullSince }],
  );
  assert.match(
    message ?? "",
    /has \d+\.\d MiB, and its limit is 12\.0 MiB\..*containers\.database_size_limit\b.* deletes data\.$/,
  );
  assert.deepEqual([usedBytes > 12_582_912, app.database?.limitBytes], [true, 12_582_912]);
  const scraped = await (await fetch(`${platform.httpUrl}/metrics`)).text();
  for (const metric of ["size", "size_limit"])
    assert.match(scraped, new RegExp(`^appserver_app_database_${metric}_bytes\\{app="${name}"\\} \\d+$`, "m"));
});
