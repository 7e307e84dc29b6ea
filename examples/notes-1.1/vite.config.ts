import { notesPage } from "@appserver/example-notes/notes-page";
import { defineConfig } from "vite";

export default defineConfig(notesPage(["web/notes.tsx", "web/index.html"]));
