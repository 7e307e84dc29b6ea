import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GlobalOptions } from "../../global-options.ts";
import { open, readBytes, readJson, readText } from "../../http.ts";
import { Refusal } from "../../refusal.ts";

/** The package of the SDK for a language, as a platform serves it. */
export interface SdkPackage {
  /** `appserver-sdk.tgz`, `appserver_sdk-0.1.0-py3-none-any.whl` */
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** Where an app keeps the SDK, so that neither an installation nor a build of its image needs a platform. */
export const vendorFolder = "vendor";

/** Loads the SDK from a platform. Rejects if the platform does not respond, or is not ready. */
export async function loadSdk(options: GlobalOptions, language: "node" | "python"): Promise<SdkPackage> {
  await requireReady(options);
  if (language === "node") {
    const file = "appserver-sdk.tgz";
    return { file, bytes: await readBytes(options, await open(options, { path: `/sdk/${file}`, accept: "*/*" })) };
  }
  const index = await readText(options, await open(options, { path: "/sdk/python/appserver-sdk/", accept: "*/*" }));
  const [, file] = /<a href="[^"]*?([\w.+-]+\.whl)[#"]/.exec(index) ?? [];
  if (file === undefined) throw new Error(`${options.http}/sdk/python/appserver-sdk/ lists no wheel of the SDK`);
  return { file, bytes: await readBytes(options, await open(options, { path: `/sdk/python/${file}`, accept: "*/*" })) };
}

/** Stores the SDK in the folder of an app. */
export async function storeSdk(folder: string, { file, bytes }: SdkPackage): Promise<void> {
  await mkdir(join(folder, vendorFolder), { recursive: true });
  await writeFile(join(folder, vendorFolder, file), bytes);
}

async function requireReady(options: GlobalOptions): Promise<void> {
  try {
    await readJson(options, "/ready");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const problem = error.status === 503 ? "is not ready; `appctl doctor` shows why" : "is no platform";
    throw new Error(`${options.http} ${problem}; --http or APPSERVER_HTTP_URL sets another address`, { cause: error });
  }
}
