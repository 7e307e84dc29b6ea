import { loadManifest, placeRefused, registrationHeaders } from "@appserver/sdk";
import { exitCodes } from "../exit-codes.ts";
import { folderKeys } from "../folder-keys.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson, printWarnings } from "../output.ts";
import { withPipelineToken } from "../pipeline-token.ts";
import { connect } from "../platform.ts";
import { RegistrationRefusal, registrationHint, sessionHint } from "../registration-refusal.ts";

export async function validateFolder(
  given: GlobalOptions,
  folder: string,
  registrationToken: string | undefined,
): Promise<void> {
  const options = await withPipelineToken(given);
  const {
    manifest,
    signature: manifestSignature,
    warnings: leftOut,
  } = await loadManifest(folder, await folderKeys(options, folder));
  const request = { manifest, manifestSignature };
  const headers = registrationHeaders(registrationToken);
  const hasCredential = registrationToken !== undefined || options.token !== undefined;
  const { valid, violations, warnings } = await RegistrationRefusal.of(
    connect(options).marketplace.validateManifest(request, { headers }),
    hasCredential ? [] : [sessionHint, registrationHint],
  );
  if (!valid) process.exitCode = exitCodes.refused;
  if (options.json) {
    const messages = warnings.map(({ message }) => message);
    printJson({ valid, violations: violations.map(({ field, message }) => ({ field, message })), warnings: messages });
    return;
  }
  printWarnings([...leftOut, ...warnings]);
  for (const problem of valid ? [] : await placeRefused(folder, violations)) print(problem);
  if (valid) print(`${manifest.name} ${manifest.version} is valid`);
}
