import { defineConfig } from "vite";

/** The pages are written afterwards, from the template that this builds (src/write-site.ts). */
export default defineConfig({
  root: "web",
  base: "/docs/",
  // The first that have `light-dark()`, whose substitute does not follow a theme of another style sheet.
  build: { outDir: "../dist", emptyOutDir: true, cssTarget: ["chrome123", "firefox120", "safari17.5"] },
});
