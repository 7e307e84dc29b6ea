import type { GlobalOptions } from "../../global-options.ts";
import { fieldLines, print, printJson } from "../../output.ts";
import { readViewer, viewerText } from "../../viewer.ts";

/** Prints who the platform takes the caller for, and what that one may do. */
export async function showViewer(options: GlobalOptions): Promise<void> {
  const viewer = await readViewer(options);
  if (options.json) return printJson({ http: options.http, ...viewer });
  const { permissions, mayRegister } = viewer;
  print(
    fieldLines([
      ["platform", options.http],
      ["caller", viewerText(viewer)],
      ["permissions", permissions.length === 0 ? "none of the platform" : permissions.join(", ")],
      ["registers apps", mayRegister ? "yes" : "with the registration token"],
    ]),
  );
}
