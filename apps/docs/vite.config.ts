import { defineConfig } from "vite";

/** The pages are written afterwards, from the template that this builds (src/write-site.ts). */
export default defineConfig({
  root: "web",
  base: "/docs/",
  build: { outDir: "../dist", emptyOutDir: true },
});
