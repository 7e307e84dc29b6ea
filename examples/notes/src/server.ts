import { runNotes } from "./run-notes.ts";

await runNotes();
