import { tmpdir } from "node:os";
import { join } from "node:path";
import { appEnvironment, serveApp, stopOnSignals } from "@appserver/sdk";
import { noteRoutes } from "./note-routes.ts";
import { NoteStore } from "./note-store.ts";

const { appName = "com.example.notes", host, port } = appEnvironment(process.env);
// In a container nothing but /tmp can be written, and it goes with the container; mount a volume and name it in DATA_DIR.
const dataFolder = process.env["DATA_DIR"] ?? join(tmpdir(), appName);
const store = await NoteStore.open(join(dataFolder, "notes.jsonl"));
const app = await serveApp({ host, port, routes: noteRoutes(store) });
stopOnSignals(app);
console.log(`${appName} listens on port ${app.port}, notes are in ${dataFolder}`);
