import { defineConfig } from "vite";
import { notesPage } from "./notes-page.ts";

export default defineConfig(notesPage(["web/notes.tsx"]));
