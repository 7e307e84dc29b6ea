import type { Repair } from "../repair-context.ts";
import { begin } from "./begin-deployment.ts";

/**
 * Begins a new deployment of an app that was given up and whose configuration has changed since: a missing setting may have been
 * the reason.
 */
export const renewOutdated: Repair = {
  name: "renew-outdated",
  applies: ({ deployment, comparison }) =>
    deployment?.state === "FAILED" && deployment.final && comparison?.kind === "different",
  apply: begin,
};
