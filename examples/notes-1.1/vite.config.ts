import { reactPage } from "@appserver/sdk/vite";
import { defineConfig } from "vite";

const page = { page: "web/notes.tsx", exposed: "./Notes", documents: ["web/index.html"] };

export default defineConfig(reactPage("com.example.notes", page));
