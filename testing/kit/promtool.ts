import { spawnSync } from "node:child_process";
import { ensureProgram } from "../../tools/services/debian-programs.ts";

/**
 * Returns what Prometheus' own tool reports about an exposition: the empty string if it is valid. Or why the tool is
 * unavailable.
 */
export function promtoolFindings(exposition: string): string | { readonly unavailable: string } {
  const promtool = ensureProgram("promtool");
  if ("unavailable" in promtool) return promtool;
  const { status, stdout, stderr } = spawnSync(promtool.path, ["check", "metrics"], { input: exposition, encoding: "utf8" });
  return status === 0 ? `${stdout}${stderr}` : `${stdout}${stderr}status ${status}`;
}
