import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { type Logger, messageOf } from "@appserver/kernel";
import { startTimeOf } from "@appserver/kernel/files";
import { eventually } from "@appserver/testing/kit";
import {
  answers,
  clock,
  connectionOf,
  embeddedFolders,
  embeddedServer,
  isRoot,
  refusal,
  serverPid,
  spawnOwner,
  terminate,
  withDatabase,
} from "../../test/embedded-fixture.ts";
import { EmbeddedPostgres } from "./embedded-postgres.ts";

const noLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => noLogger };

describe("folders of embedded PostgreSQL", () => {
  const folders = embeddedFolders();

  describe("reports an unusable data folder in one sentence, and changes nothing", () => {
    let sound: string;
    before(async () => {
      sound = folders.folder("sound");
      const once = embeddedServer(sound);
      await once.start();
      await once.stop();
    });

    const damages: readonly { what: string; damage: (data: string) => Promise<void>; message: string }[] = [
      { what: "no PG_VERSION", damage: (data) => unlink(join(data, "PG_VERSION")), message: "PG_VERSION is missing" },
      {
        what: "another major version",
        damage: (data) => writeFile(join(data, "PG_VERSION"), "14\n"),
        message: "was created by PostgreSQL 14, but this is PostgreSQL 18",
      },
      {
        what: "a server that refuses",
        damage: (data) => writeFile(join(data, "global", "pg_control"), Buffer.alloc(8192)),
        message: "refuses to start",
      },
    ];
    for (const { what, damage, message } of damages) {
      test(what, async () => {
        const folder = folders.folder(`damaged ${what}`);
        await cp(sound, folder, { recursive: true });
        await damage(join(folder, "data"));
        const before = await readdir(join(folder, "data"), { recursive: true });
        const broken = embeddedServer(folder);
        await assert.rejects(broken.start(), refusal(message, join(folder, "data"), "restore it from a backup"));
        await broken.stop();
        assert.deepEqual(await readdir(join(folder, "data"), { recursive: true }), before);
      });
    }

    test("not a folder", async () => {
      const file = folders.folder("file");
      await writeFile(file, "");
      await assert.rejects(embeddedServer(file).start(), refusal(`The data folder ${file} cannot be used`));
    });
  });

  test("root: a folder that the server's account cannot access has its data elsewhere, and finds it later", {
    skip: isRoot ? false : "needs root",
  }, async () => {
    const parent = folders.folder("private-home");
    await mkdir(parent, { mode: 0o700 });
    const folder = join(parent, "postgres");
    const first = embeddedServer(folder);
    await first.start();
    await withDatabase(first.connection, (database) => database.query("create table kept as select 9 as answer"));
    await first.stop();
    const elsewhere = (await readFile(join(folder, "location"), "utf8")).trim();
    try {
      assert.match(elsewhere, /^\/var\/lib\/appserver\/[0-9a-f]{16}$/);
      // Accessible from now on: the data must still be found.
      await chmod(parent, 0o755);
      const second = embeddedServer(folder);
      await second.start();
      assert.deepEqual(await answers(second.connection), [{ answer: 9 }]);
      await second.stop();
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  test("root: a new folder under the name of a deleted one does not find the old one's data", {
    skip: isRoot ? false : "needs root",
  }, async () => {
    const parent = folders.folder("recreated-home");
    await mkdir(parent, { mode: 0o700 });
    const folder = join(parent, "postgres");
    const locations: string[] = [];
    try {
      for (const round of ["first", "second"]) {
        const current = embeddedServer(folder);
        await current.start();
        locations.push((await readFile(join(folder, "location"), "utf8")).trim());
        await withDatabase(current.connection, (database) =>
          database.query(`create table rounds as select '${round}' as round`),
        );
        await current.stop();
        await rm(folder, { recursive: true });
      }
      assert.notEqual(locations[0], locations[1]);
    } finally {
      for (const location of locations) await rm(location, { recursive: true, force: true });
    }
  });

  test("a server whose folder was removed ends when it is stopped, and is not started in the folder of another one", async () => {
    const folder = folders.folder("removed");
    const refusals: string[] = [];
    const note = (fields: object): void => void refusals.push(messageOf((fields as { err?: unknown }).err));
    const logger: Logger = { ...noLogger, warn: note, debug: note };
    const first = new EmbeddedPostgres({ folder, logger, clock });
    await first.start();
    const firstPid = await serverPid(folder);
    assert.deepEqual(
      first.files.filter((file) => !existsSync(file)),
      [],
    );
    await rm(folder, { recursive: true, maxRetries: 10 });
    const owner = spawnOwner(folder);
    try {
      const connection = await connectionOf(owner);
      const secondPid = await serverPid(folder);
      // Often it has ended already, because its files are missing.
      if (startTimeOf(firstPid) !== undefined) process.kill(firstPid, "SIGKILL");
      const refused = `The database folder ${folder} is in use by process ${owner.pid}: end that process, or choose another folder.`;
      await eventually(() => assert.ok(refusals.includes(refused), refusals.join("\n")));
      await first.stop();
      assert.equal(await serverPid(folder), secondPid);
      await withDatabase(connection, (database) => database.ping());
    } finally {
      await first.stop();
      await terminate(owner);
    }
  });

  test("a server whose folder was removed is stopped at once", async () => {
    const folder = folders.folder("lost");
    const server = embeddedServer(folder);
    await server.start();
    const pid = await serverPid(folder);
    await rm(folder, { recursive: true, maxRetries: 10 });
    await server.stop();
    assert.equal(startTimeOf(pid), undefined);
  });
});
