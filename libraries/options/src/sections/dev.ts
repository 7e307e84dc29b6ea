import { defineSection } from "../schema.ts";
import { boolean, oneOf, text } from "../types/plain-types.ts";

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
      doc: "Folder of its data; below the current one unless absolute",
    },
    containers: {
      flag: "containers",
      yaml: "containers",
      type: oneOf("process", "docker"),
      default: "process",
      doc: "How apps run",
    },
    examples: {
      flag: "examples",
      yaml: "examples",
      type: boolean,
      default: "true",
      doc: "Whether the sample apps are registered and installed; `--no-examples` leaves them out",
    },
  },
});
