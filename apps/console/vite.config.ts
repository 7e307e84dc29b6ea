import { join } from "node:path";
import { languages } from "@appserver/contracts/languages";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { consoleTexts } from "./console-texts.ts";

/** What every page needs of packages besides Mantine. */
const vendor = {
  name: "vendor",
  test: /node_modules\/(?:@tanstack|@lingui|@messageformat|react|react-dom|scheduler|graphql-ws|get-nonce|clsx)\//,
};

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
    "InputBase",
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
const components = (names: string): RegExp => new RegExp(`@mantine/core/esm/components/(?:${names})/`);
const mantine = {
  name: "mantine",
  test: new RegExp(`node_modules/(?:@floating-ui/|@mantine/hooks/|@mantine/core/esm/core/)|${components(frame).source}`),
};
const inputs = {
  name: "inputs",
  test: components("InlineInput|Breadcrumbs|Checkbox|PasswordInput|Radio|SegmentedControl|Switch|Tabs|Textarea"),
};
const choices = {
  name: "choices",
  test: new RegExp(
    `${components("Autocomplete|Combobox|MultiSelect|Pill|PillsInput|Select").source}|/console/web/parts/(?:filter|use-choices|saved-views|views)`,
  ),
};

/** What the frame of an app's page needs, too, which needs nothing of the console. */
const loading = {
  name: "loading",
  test: /rolldown[/:]runtime|vite\/(?:preload-helper|modulepreload-polyfill)|\/console\/web\/features\/hosting\/(?:trusted-types|script-hashes)\.ts$/,
};

/** Files of pages that a few pages have in common: each page would else load a dozen small ones. */
const together = (name: string, files: string) => ({ name, test: new RegExp(`/console/web/(?:${files})\\.tsx?$`) });
const common = [
  together(
    "permissions",
    "features/access/(?:chain|grant-dialog|platform-permission|revoke-button|subject-link|tuple-text|use-steps)",
  ),
  together("runs", "features/activities/(?:activity-runs|activity-schedules|run-actions|run-commands)"),
  together(
    "deliveries",
    "features/hooks/(?:declared-events|hook-deliveries|hook-events)|parts/(?:attempts|json-view|download)",
  ),
  together("app-actions", "features/apps/(?:app|app-actions)|parts/plan-dialog"),
  together("fields", "features/settings/(?:app-settings|draft|field-input)|parts/json-field"),
  together("attention", "features/overview/attention|parts/(?:access-decision|ask-for-access)"),
];

/** What most pages share, and not what only some of them have, as charts. Its files are small, and a request for each costs more than their bytes. */
const parts =
  /\/console\/web\/(?:api|generated|parts)\/(?!app-charts|plan-dialog|json-|differences|rollback|chart|traffic|metric-|ask-for|access-decision|attempts|filter-|use-choices|command\.|views|saved-views|shown-once|download)/;
const queries =
  /\/console\/web\/(?:theme|features\/[a-z-]+\/[a-z-]+-queries)\.tsx?$|vite\/(?:preload-helper|modulepreload-polyfill)/;
/** The router reads what the addresses of pages may say. */
const addresses =
  /\/console\/web\/features\/(?:apps\/sorting|audit\/filter|traces\/request-filter|activities\/run-status|hosting\/frontend-facts)\.tsx?$/;
const shared = {
  name: "shared",
  test: new RegExp([parts, queries, addresses].map(({ source }) => source).join("|")),
};

/** English is the language of the texts in the code. */
const translations = Object.keys(languages).filter((language) => language !== "en");

export default defineConfig({
  root: "web",
  base: "/console/",
  plugins: [react(), consoleTexts(join(import.meta.dirname, "web/locales"))],
  define: { __LANGUAGE__: JSON.stringify("en") },
  environments: Object.fromEntries(
    translations.map((language) => [
      language,
      {
        consumer: "client",
        define: { __LANGUAGE__: JSON.stringify(language) },
        build: { emptyOutDir: false, rolldownOptions: { input: ["web/index.html"] } },
      },
    ]),
  ),
  builder: {
    // The first one empties the folder.
    buildApp: async (builder) => {
      for (const environment of Object.values(builder.environments)) await builder.build(environment);
    },
  },
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
      output: { codeSplitting: { groups: [loading, vendor, mantine, shared, inputs, choices, ...common] } },
    },
  },
});
