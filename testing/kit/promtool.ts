import { spawnSync } from "node:child_process";
import { ensureDebianProgram } from "../../tools/services/debian-package.ts";

/** What Prometheus' own tool has to say against an exposition; the empty text when nothing. Or why it cannot be asked. */
export function promtoolFindings(exposition: string): string | { readonly unavailable: string } {
  const promtool = ensureDebianProgram("promtool", "prometheus");
  if ("unavailable" in promtool) return promtool;
  const { status, stdout, stderr } = spawnSync(promtool.path, ["check", "metrics"], { input: exposition, encoding: "utf8" });
  return status === 0 ? `${stdout}${stderr}` : `${stdout}${stderr}status ${status}`;
}
