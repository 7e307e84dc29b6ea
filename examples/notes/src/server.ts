import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appEnvironment, createActivityWorker, keyFile, serveApp, stopOnSignals } from "@appserver/sdk";
import { nightlyCount } from "./nightly-count.ts";
import { noteRoutes } from "./note-routes.ts";
import { NoteStore } from "./note-store.ts";

const { appName = "com.example.notes", grpcAddress, host, port } = appEnvironment(process.env);
// In a container nothing but /tmp can be written, and it goes with the container; mount a volume and name it in DATA_DIR.
const dataFolder = process.env["DATA_DIR"] ?? join(tmpdir(), appName);
const store = await NoteStore.open(join(dataFolder, "notes.jsonl"));
const app = await serveApp({ host, port, routes: noteRoutes(store) });
const activities = grpcAddress === undefined ? undefined : await startActivities(grpcAddress);
stopOnSignals({
  port: app.port,
  stop: async () => {
    await activities?.stop();
    await app.stop();
  },
});
console.log(`${appName} listens on port ${app.port}, notes are in ${dataFolder}`);

/** What app.yaml declares under `activities`. Beside app.yaml is the key: an app runs with its own folder as the working directory. */
async function startActivities(address: string) {
  const privateKey = createPrivateKey(await readFile(keyFile, "utf8"));
  const worker = createActivityWorker({ grpcUrl: `http://${address}`, app: { name: appName, privateKey } });
  worker.activity("nightly-count", nightlyCount(store)).start();
  return worker;
}
