import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { appEnvironment, createAppClient, createHookSubscriber, keyFile, serveApp, stopOnSignals } from "@appserver/sdk";
import { countNotes } from "./count-notes.ts";
import { LastNote, noteCreatedHook } from "./last-note.ts";

const { appName = "com.example.clock", grpcAddress, host, httpUrl, port } = appEnvironment(process.env);
// Beside app.yaml: an app runs with its own folder as the working directory.
const privateKey = createPrivateKey(await readFile(keyFile, "utf8"));
const platform = createAppClient({ httpUrl, appName, privateKey, timeoutMs: 2000 });
const lastNote = new LastNote();
const hooks = grpcAddress === undefined ? undefined : subscribe(grpcAddress);

const app = await serveApp({
  host,
  port,
  routes: {
    "GET /now": async () => ({
      json: {
        now: new Date().toISOString(),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        notes: await countNotes(platform),
        lastNote: lastNote.news ?? null,
      },
    }),
    "GET /ping": () => ({ json: { pong: true } }),
  },
});
stopOnSignals({
  port: app.port,
  stop: async () => {
    await hooks?.stop();
    await app.stop();
  },
});
console.log(`${appName} listens on port ${app.port}`);

function subscribe(address: string) {
  const subscriber = createHookSubscriber({ grpcUrl: `http://${address}`, app: { name: appName, privateKey } });
  subscriber.onHook(noteCreatedHook, (hook) => lastNote.take(hook)).start();
  return subscriber;
}
