import { defineSection } from "../schema.ts";
import { boolean, text } from "../types/plain-types.ts";

/** Options that only `appserver dev` has. */
export const devSection = defineSection({
  yaml: "dev",
  doc: "The embedded platform of `appserver dev`.",
  options: {
    dataDir: {
      env: "APPSERVER_DATA_DIR",
      yaml: "data_dir",
      type: text,
      default: ".appserver",
      doc: "Data folder. A relative path starts at the current folder",
    },
    examples: {
      flag: "examples",
      yaml: "examples",
      type: boolean,
      default: "true",
      doc: "Whether to register and install the sample apps. `--no-examples` skips them",
    },
  },
});
