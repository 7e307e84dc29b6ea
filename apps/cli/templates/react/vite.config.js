import { reactPage } from "@appserver/sdk/vite";
import { defineConfig } from "vite";

export default defineConfig(reactPage("__NAME__", { page: "web/page.jsx" }));
