import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const tanstack = { name: "tanstack", test: /node_modules\/@tanstack\// };
/** What the frame of every page needs of it, and not the inputs of single pages. */
const frame = [
  ...["ActionIcon", "Anchor", "Button", "CloseButton", "Floating", "FocusTrap", "Group", "Input", "Loader", "Menu", "Modal"],
  ...["ModalBase", "Overlay", "Paper", "Popover", "Portal", "ScrollArea", "Stack", "Text", "Title", "Transition"],
  "UnstyledButton",
].join("|");
const mantine = {
  name: "mantine",
  test: new RegExp(`node_modules/(?:@floating-ui/|@mantine/(?:hooks/|core/esm/(?:core|components/(?:${frame}))/))`),
};

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
    rolldownOptions: {
      input: ["web/index.html", "web/frame.html"],
      // In one file, what every page has compresses better than in many.
      output: { advancedChunks: { groups: [tanstack, mantine] } },
    },
  },
});
