import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: "web",
  base: "/console/",
  plugins: [react()],
  // The server replaces it in each response.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    // The first that have `light-dark()`: its substitute does not follow the theme that a user chose.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    chunkSizeWarningLimit: 700,
    rolldownOptions: { input: ["web/index.html", "web/frame.html"] },
  },
});
