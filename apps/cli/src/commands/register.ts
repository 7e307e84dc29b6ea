import { OperationSchema } from "@appserver/contracts/proto/appserver/v2/common";
import { AppSchema } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { loadManifest, readAppKeys, registerApp } from "@appserver/sdk";
import { toJson } from "@bufbuild/protobuf";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printWarnings } from "../output.ts";
import { connect } from "../platform.ts";
import { RegistrationRefusal, registrationHints } from "../registration-refusal.ts";

export async function registerFolder(
  options: GlobalOptions,
  folder: string,
  registrationToken: string | undefined,
): Promise<void> {
  const signed = await loadManifest(folder, await readAppKeys(folder));
  const { app, operation, changed, warnings } = await RegistrationRefusal.of(
    registerApp(connect(options), signed, registrationToken),
    registrationHints(options, registrationToken),
  );
  if (!app) throw new Error("the response of the platform has no app");
  printWarnings([...signed.warnings, ...warnings]);
  if (options.json)
    printJson({ app: toJson(AppSchema, app), changed, ...(operation && { operation: toJson(OperationSchema, operation) }) });
  else print(`${app.name} ${signed.manifest.version} ${changed ? "registered" : "was already registered"}`);
}
