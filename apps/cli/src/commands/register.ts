import { OperationSchema } from "@appserver/contracts/proto/appserver/v2/common";
import { AppSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { loadManifest, registerApp, signManifest } from "@appserver/sdk";
import { toJson } from "@bufbuild/protobuf";
import { folderKeys } from "../folder-keys.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printWarnings } from "../output.ts";
import { withPipelineToken } from "../pipeline-token.ts";
import { connect } from "../platform.ts";
import { RegistrationRefusal, registrationHints } from "../registration-refusal.ts";

export interface RegisterFlags {
  readonly registrationToken: string | undefined;
  /** Of the app's image, in place of the one in `app.yaml`. */
  readonly imageDigest?: string | undefined;
}

export async function registerFolder(
  given: GlobalOptions,
  folder: string,
  { registrationToken, imageDigest }: RegisterFlags,
): Promise<void> {
  const options = await withPipelineToken(given);
  const keys = await folderKeys(options, folder);
  const { manifest, warnings: leftOut } = await loadManifest(folder, keys);
  if (imageDigest !== undefined) manifest.imageDigest = imageDigest;
  const signed = signManifest(manifest, keys);
  const { app, operation, changed, warnings } = await RegistrationRefusal.of(
    registerApp(connect(options), signed, registrationToken),
    registrationHints(options, registrationToken),
    folder,
  );
  if (!app) throw new Error("the response of the platform has no app");
  printWarnings([...leftOut, ...warnings]);
  if (options.json)
    printJson({ app: toJson(AppSchema, app), changed, ...(operation && { operation: toJson(OperationSchema, operation) }) });
  else print(`${app.name} ${manifest.version} ${changed ? "registered" : "was already registered"}`);
}
