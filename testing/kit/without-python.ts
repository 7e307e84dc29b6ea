import { ensureBoardPython } from "../../tools/services/python-packages.ts";

/**
 * Returns why the sample app in Python does not run here, worded for a test's summary. False if it does. Installs its packages if
 * they are missing.
 */
export async function withoutPython(): Promise<string | false> {
  const python = await ensureBoardPython();
  return "unavailable" in python && python.unavailable;
}
