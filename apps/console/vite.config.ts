import { lingui } from "@lingui/vite-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const tanstack = { name: "tanstack", test: /node_modules\/@tanstack\// };
/** What the frame and the tables of every page need of it, and not the inputs of single pages. */
const frame = [
  ...[
    "ActionIcon",
    "Alert",
    "Anchor",
    "AppShell",
    "Burger",
    "Button",
    "Center",
    "CloseButton",
    "Code",
    "Floating",
    "FocusTrap",
  ],
  ...[
    "Group",
    "Input",
    "List",
    "Loader",
    "Menu",
    "Modal",
    "ModalBase",
    "NavLink",
    "Notification",
    "Overlay",
    "Paper",
    "Popover",
  ],
  ...["Portal", "Progress", "ScrollArea", "SimpleGrid", "Stack", "Table", "Text", "Title", "Tooltip", "Transition"],
  ...["UnstyledButton", "VisuallyHidden"],
].join("|");
const mantine = {
  name: "mantine",
  test: new RegExp(`node_modules/(?:@floating-ui/|@mantine/(?:hooks/|core/esm/(?:core|components/(?:${frame}))/))`),
};

/** What most pages share, and not what only some of them have, as charts. Its files are small, and a request for each costs more than their bytes. */
const shared = {
  name: "shared",
  test: /\/console\/web\/(?:api|generated|parts)\/(?!plan-dialog|json-|differences|rollback|chart|traffic|metric-|ask-for|access-decision|event-table|event-groups|attempts|delivery-status|filter-|use-choices|command\.|views|saved-views|shown-once|log-line|download)|\/console\/web\/(?:theme|features\/[a-z-]+\/[a-z-]+-queries)\.tsx?$|vite\/(?:preload-helper|modulepreload-polyfill)|node_modules\/(?:graphql-ws|get-nonce)\//,
};

export default defineConfig({
  root: "web",
  base: "/console/",
  plugins: [react(), lingui()],
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
      output: { advancedChunks: { groups: [tanstack, mantine, shared] } },
    },
  },
});
