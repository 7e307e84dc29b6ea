import { callBy } from "@appserver/testing/kit";
import { applyDeployment } from "../src/use-cases/apply-deployment.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import type { ManifestInit } from "./fixtures.ts";
import type { startMarketplace } from "./marketplace-under-test.ts";

/** Registers, installs and runs version 1.0.0, and registers 1.1.0. */
export async function runningApp(home: Awaited<ReturnType<typeof startMarketplace>>, name: string, next: ManifestInit = {}) {
  const { identity, app } = await home.register(name);
  await installApp(home.context, { name }, callBy({ kind: "system", reason: "test" }));
  home.deploy(app.id, 1, "HEALTHY", { imageDigest: "sha256:one" });
  await applyDeployment(home.context, name);
  await home.submit(name, identity, { version: "1.1.0", ...next });
  return { identity, id: app.id };
}
