import { printResult } from "../output.ts";
import { connect, type GlobalOptions } from "../platform.ts";

export async function uninstallApp(options: GlobalOptions, name: string, purgeData: boolean): Promise<void> {
  const response = await connect(options).marketplace.uninstallApp({ name, purgeData });
  printResult(options, response, `${name} is uninstalled`);
}
