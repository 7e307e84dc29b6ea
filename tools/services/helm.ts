import type { GoProgram } from "./go-program.ts";
import { testedVersions } from "./versions.ts";

/** Installs the chart of the platform in the tests' cluster. */
export const helmProgram: GoProgram = {
  name: "helm",
  version: `v${testedVersions.helm}`,
  source: { package: "helm.sh/helm/v3/cmd/helm" },
};
