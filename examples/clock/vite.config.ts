import { defineConfig } from "vite";

export default defineConfig({
  root: "web",
  base: "./",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    lib: { entry: "clock.ts", formats: ["es"], fileName: () => "clock.js" },
  },
});
