import { before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, freezePostgres, killPostgres, type RunningPlatform, scaled } from "@appserver/testing/kit";
import { AcknowledgedWork, workApp, workingApp } from "./acknowledged-work.ts";
import { createAppserver, prepareSampleApps, removeAppserver } from "./faulty-platform.ts";
import { SmallDisk, skipWithoutDisk } from "./full-disk.ts";
import { observeEvents, postmasterPid, readEvents, withDatabase } from "./platform-records.ts";
import { type Chance, chance, seed } from "./random.ts";

/** Faults in turn. Which work is in progress at a fault is random. */
const faults = ["server", "worker", "postgres", "machine", "full disk", "frozen postgres"] as const;
const rounds = scaled(30, faults.length);
const megabytes = 500;
const skip = process.platform === "linux" ? false : "needs /proc";

suite("npm start with its sample apps", { skip }, () => {
  before(prepareSampleApps);

  test(`settings, hooks, runs and notes that were acknowledged are stored and done after ${rounds} faults`, async (t) => {
    t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
    const random = chance();
    // Holds the data, if a small disk is available.
    const disk = skipWithoutDisk ? undefined : await SmallDisk.mount(megabytes);
    const platform = await createAppserver(disk ? { parent: disk.folder } : {});
    let work: AcknowledgedWork | undefined;
    let notes: NoteWriter | undefined;
    let passed = false;
    t.after(async () => {
      await notes?.stop();
      await work?.stop();
      await platform.process.stop();
      // Kept after a failure, because its logs show what happened.
      if (!passed) return;
      await removeAppserver(platform);
      await disk?.unmount();
    });
    const { dataDir, httpUrl, grpcUrl } = platform;
    platform.process.start();
    await platform.ready();
    await observeEvents(dataDir);
    const app = await workingApp("http://127.0.0.1:9");
    await platform.register(app);
    const { app: installed } = await platform.client().marketplace.installApp({ name: workApp });
    work = new AcknowledgedWork({ grpcUrls: [grpcUrl], app, appId: installed?.id ?? "" });
    notes = new NoteWriter(httpUrl);
    await work.goesOn();
    await notes.goesOn();

    for (let round = 0; round < rounds; round += 1) {
      await sleep(random.below(2_000));
      await meet(faults[round % faults.length] ?? "server", { platform, work, disk, random });
      await work.goesOn();
    }
    await notes.goesOn();
    await notes.stop();
    const [running, written] = [work, notes.acknowledged];
    t.diagnostic(await withDatabase(dataDir, (database) => running.settle(database, () => readEvents(database))));
    t.diagnostic(`${written.size} notes acknowledged`);
    await untilTold(dataDir, written);
    passed = true;
  });
});

interface Fixture {
  readonly platform: RunningPlatform;
  readonly work: AcknowledgedWork;
  readonly disk: SmallDisk | undefined;
  readonly random: Chance;
}

/** Resolves once the part that was killed is up again. */
async function meet(fault: (typeof faults)[number], { platform, work, disk, random }: Fixture): Promise<void> {
  const { dataDir, process: server } = platform;
  switch (fault) {
    case "worker": {
      const worker = work.workers[Math.floor(random.below(work.workers.length))];
      await worker?.kill();
      worker?.start();
      return;
    }
    case "server":
      await server.kill();
      server.start();
      return platform.ready();
    case "machine": {
      const postmaster = await postmasterPid(dataDir);
      await Promise.all([server, ...work.workers].map((each) => each.kill()));
      killPostgres(postmaster);
      await sleep(random.below(3_000));
      for (const each of [server, ...work.workers]) each.start();
      return platform.ready();
    }
    case "full disk":
      return disk?.keepFull(1_000 + random.below(4_000));
    case "postgres":
      return killPostgres(await postmasterPid(dataDir));
    case "frozen postgres":
      return freezePostgres(await postmasterPid(dataDir), 1_000 + random.below(4_000));
  }
}

/** Writes notes through the proxy, as a visitor of the sample app does. */
class NoteWriter {
  /** Ids. */
  readonly acknowledged = new Set<string>();
  readonly #over = new AbortController();
  readonly #writing: Promise<void>;

  constructor(httpUrl: string) {
    this.#writing = this.#write(httpUrl);
  }

  /** Waits until another note is acknowledged. */
  async goesOn(): Promise<void> {
    const before = this.acknowledged.size;
    const isMore = (size: number): boolean => size > before;
    await eventually(async () => this.acknowledged.size, isMore, { timeoutMs: 60_000, what: "another note is acknowledged" });
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#writing;
  }

  async #write(httpUrl: string): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        const headers = { "content-type": "application/json" };
        const login = await fetch(`${httpUrl}/dev/login`, { method: "POST", headers, body: '{"user":"admin"}' });
        const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
        const note = await fetch(`${httpUrl}/api/apps/com.example.notes/notes`, {
          method: "POST",
          headers: { ...headers, cookie },
          body: '{"text":"written under faults"}',
          signal: AbortSignal.timeout(10_000),
        });
        const { id } = (await note.json()) as { id?: string };
        if (note.status === 201 && id !== undefined) this.acknowledged.add(id);
      } catch {
        // The server is killed on purpose.
      }
      await sleep(100);
    }
  }
}

/** The sample app triggers a hook for each note, however long the platform was down. */
async function untilTold(dataDir: string, notes: ReadonlySet<string>): Promise<void> {
  const untold = async (): Promise<readonly string[]> => {
    const observed = await withDatabase(dataDir, async (database) => {
      const { rows } = await database.query<{ data: string }>(
        "select data from hooks.events where hook_name = 'com.example.notes.created'",
      );
      return new Set(rows.map(({ data }) => (JSON.parse(data) as { id: string }).id));
    });
    return [...notes].filter((id) => !observed.has(id));
  };
  const what = "every note triggered its hook";
  await eventually(untold, ({ length }) => length === 0, { timeoutMs: 60_000, intervalMs: 500, what });
}
