import { defineSection } from "../schema.ts";
import { boolean } from "../types/plain-types.ts";

/** Options that only `appserver dev` has. */
export const devSection = defineSection({
  yaml: "dev",
  doc: "The embedded platform of `appserver dev`.",
  options: {
    examples: {
      flag: "examples",
      yaml: "examples",
      type: boolean,
      default: "true",
      doc: "Whether to register and install the sample apps. `--no-examples` skips them",
    },
  },
});
