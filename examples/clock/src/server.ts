import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { appEnvironment, createAppClient, keyFile, serveApp, stopOnSignals } from "@appserver/sdk";
import { countNotes } from "./count-notes.ts";

const { appName = "com.example.clock", host, httpUrl, port } = appEnvironment(process.env);
// Beside app.yaml: an app runs with its own folder as the working directory.
const privateKey = createPrivateKey(await readFile(keyFile, "utf8"));
const platform = createAppClient({ httpUrl, appName, privateKey, timeoutMs: 2000 });

const app = await serveApp({
  host,
  port,
  routes: {
    "GET /now": async () => ({
      json: {
        now: new Date().toISOString(),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        notes: await countNotes(platform),
      },
    }),
    "GET /ping": () => ({ json: { pong: true } }),
  },
});
stopOnSignals(app);
console.log(`${appName} listens on port ${app.port}`);
