import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, registerApp } from "@appserver/sdk";
import { eventually, freezePostgres, killPostgres, scaled } from "@appserver/testing/kit";
import { AcknowledgedWork, workApp, workingApp } from "./acknowledged-work.ts";
import { prepareSampleApps } from "./faulty-platform.ts";
import { databaseFolder, postmasterPid, withDatabase } from "./platform-records.ts";
import { type Chance, chance, randomSeed } from "./random.ts";
import { quietPort, ServerProcess } from "./server-process.ts";

const faults = ["server", "postgres", "frozen postgres"] as const;
const rounds = scaled(15);
const seed = Number(process.env["APPSERVER_FAULT_SEED"] ?? randomSeed());
const skip = process.platform === "linux" ? false : "needs /proc";

suite("npm start with its sample apps", { skip }, () => {
  before(prepareSampleApps);

  test(`settings, hooks, runs and notes that were acknowledged are stored and done after ${rounds} faults`, async (t) => {
    t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
    const random = chance(seed);
    const dataDir = await realpath(await mkdtemp(join(tmpdir(), "appserver-faults-")));
    // As root, the database runs under another account, which must reach the folder.
    await chmod(dataDir, 0o755);
    const [httpPort, grpcPort] = [await quietPort(), await quietPort()];
    const server = new ServerProcess({ dataDir, httpPort, grpcPort, examples: true });
    let work: AcknowledgedWork | undefined;
    let notes: NoteWriter | undefined;
    let passed = false;
    t.after(async () => {
      await notes?.stop();
      await work?.stop();
      await server.stop();
      if (!passed) return;
      for (const folder of [await databaseFolder(dataDir), dataDir])
        await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    });
    const { httpUrl, grpcUrl } = server;
    const restart = async (): Promise<void> => {
      server.start();
      await server.ready();
    };
    await restart();
    const client = createPlatformClient({ grpcUrl });
    const app = await workingApp("http://127.0.0.1:9");
    await registerApp(client, app);
    const { app: installed } = await client.marketplace.installApp({ name: workApp });
    work = AcknowledgedWork.start({ grpcUrls: [grpcUrl], app, appId: installed?.id ?? "" });
    notes = new NoteWriter(httpUrl);
    await work.goesOn();
    await notes.goesOn();

    for (let round = 0; round < rounds; round += 1) {
      await sleep(random.below(2_000));
      await meet(faults[round % faults.length] ?? "server", { dataDir, server, restart, random });
      await work.goesOn();
    }
    await notes.goesOn();
    await notes.stop();
    const [running, written] = [work, notes.acknowledged];
    t.diagnostic(await withDatabase(dataDir, (database) => running.settle(database)));
    t.diagnostic(`${written.size} notes acknowledged`);
    await untilTold(dataDir, written);
    passed = true;
  });
});

interface Faulty {
  readonly dataDir: string;
  readonly server: ServerProcess;
  readonly restart: () => Promise<void>;
  readonly random: Chance;
}

async function meet(fault: (typeof faults)[number], { dataDir, server, restart, random }: Faulty): Promise<void> {
  if (fault === "server") {
    await server.kill();
    await restart();
  } else if (fault === "postgres") {
    killPostgres(await postmasterPid(dataDir));
  } else {
    await freezePostgres(await postmasterPid(dataDir), 1_000 + random.below(3_000));
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
