import {
  appEnvironment,
  appSettings,
  createAppClient,
  createHookSubscriber,
  logLine,
  readAppIdentity,
  serveApp,
  stopOnSignals,
} from "@appserver/sdk";
import { seal, timezone } from "./clock-settings.ts";
import { clockVariables } from "./clock-variables.ts";
import { LastNote, noteCreatedHook } from "./last-note.ts";
import { countNotes, noteText } from "./notes-app.ts";

/** Shorter than `timeout_ms` in app.yaml. */
const maxWaitMs = 8_000;

const environment = appEnvironment(process.env);
const { appName, grpcAddress, host, httpUrl, port } = environment;
// The key that the platform made for this deployment. Without the platform: key.pem in the working directory.
const { privateKey } = await readAppIdentity();
const platform = createAppClient({ httpUrl, appName, privateKey, timeoutMs: 2000 });
const settings = appSettings({ environment, appName, privateKey });
const variables = clockVariables(process.env);
const lastNote = new LastNote();
const hooks = grpcAddress === undefined ? undefined : subscribe(grpcAddress);

const app = await serveApp({
  host,
  port,
  logRequests: true,
  routes: {
    "GET /now": async () => {
      const notes = await countNotes(platform);
      const now = new Date().toISOString();
      const clock = { now, timezone: timezone(settings), seal: seal(settings, now) };
      return { json: { ...clock, ...variables, notes, lastNote: lastNote.latest ?? null } };
    },
    // In a sandboxed frame a response arrives as a whole, so the page waits here instead of reading a stream.
    "GET /last-note": async ({ query }) => {
      const note = await lastNote.after(query.get("after") ?? undefined, maxWaitMs);
      return { json: { note: note ? { ...note, text: await noteText(platform, note.id) } : null } };
    },
    "GET /ping": () => ({ json: { pong: true } }),
  },
});
stopOnSignals({
  port: app.port,
  stop: async () => {
    settings.close();
    await hooks?.stop();
    lastNote.stop();
    await app.stop();
  },
});
console.log(`${appName} listens on port ${app.port}`);

function subscribe(address: string) {
  const subscriber = createHookSubscriber({ grpcUrl: `http://${address}`, app: { name: appName, privateKey } });
  subscriber
    .onHook(noteCreatedHook, (hook) => {
      lastNote.take(hook);
      logLine("info", "a note was created", { hook: hook.id, attempt: hook.attempt });
    })
    .start();
  return subscriber;
}
