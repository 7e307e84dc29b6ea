import { command } from "../client.ts";
import { UninstallAppDocument } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { printResult } from "../output.ts";

export async function uninstallApp(options: GlobalOptions, name: string, purgeData: boolean): Promise<void> {
  printResult(options, await command(options, UninstallAppDocument, { name, purgeData }), `${name} is uninstalled`);
}
