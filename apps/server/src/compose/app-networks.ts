import type { OrchestratorConfig } from "../config/orchestrator-config.ts";

/** Returns a warning if the engine does not keep the networks of apps apart, or that could not be tried. Starts short containers for it. */
export async function inspectAppNetworks({ containers, drivers }: OrchestratorConfig): Promise<readonly string[]> {
  const { driver, options } = drivers.containers;
  if (containers.isolation === "shared" || !driver.networkProblem) return [];
  const problem = await driver.networkProblem(options).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    return `whether the engine keeps the networks of apps apart could not be tried: ${reason}`;
  });
  return problem === undefined ? [] : [problem];
}
