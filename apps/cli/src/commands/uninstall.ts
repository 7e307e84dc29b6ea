import type { GlobalOptions } from "../global-options.ts";
import { printResult } from "../output.ts";
import { connect } from "../platform.ts";

export async function uninstallApp(options: GlobalOptions, name: string, purgeData: boolean): Promise<void> {
  const response = await connect(options).marketplace.uninstallApp({ name, purgeData });
  printResult(options, response, `${name} is uninstalled`);
}
