import { DescriptionProblem } from "../../domain/api-description/description-limits.ts";
import type { DescribedApp, DescriptionReading, DocumentSource } from "../../domain/api-description/description-reading.ts";
import { documentOf } from "../../domain/api-description/document-source.ts";
import { readApiDescription } from "../../domain/api-description/read-api-description.ts";
import { type AppRecord, addressOf, type SwitchTarget } from "../../domain/app.ts";
import { backendOf, type LiveApp, type LiveRelease } from "../../domain/live-app.ts";
import { runsSameBackend } from "../../domain/same-backend.ts";
import type { MarketplaceContext } from "../context.ts";
import { liveOf } from "../find-app.ts";

type DescribingContext = Pick<MarketplaceContext, "apps" | "documents" | "descriptions" | "clock" | "logger">;

/**
 * Reads the document that describes the API of a release, and stores what came of it (docs/interface/proxy.md#app-documents). `live` has
 * the release, and the record of the app with the generation and the address of its backend. Takes at most as long as the document may take. Never
 * rejects: a release serves also without a description.
 */
export async function describeRelease(
  context: DescribingContext,
  { app, api, placement }: Pick<LiveApp, "app" | "api" | "placement">,
  manifestDigest: string,
): Promise<void> {
  if (api?.openapiUrl === undefined) return;
  const fields = { app: app.name, release: manifestDigest };
  try {
    const source = documentOf(api, backendOf({ app, api, placement }));
    if (!source) return;
    const result = await readingOf(context, source, app, api.basePath);
    if ("problem" in result)
      context.logger.warn({ ...fields, problem: result.problem }, "marketplace: the description of an API was not read");
    await context.descriptions.save({ appId: app.id, manifestDigest }, { readAt: new Date(context.clock.now()), result });
  } catch (error) {
    context.logger.warn({ ...fields, err: error }, "marketplace: storing the description of an API failed");
  }
}

/**
 * Reads the document of a release before a switch to it that starts no container: its backend runs already. In other switches it is read
 * when the new container is healthy.
 */
export async function describeRunning(
  context: DescribingContext,
  live: LiveApp,
  to: LiveRelease,
  manifestDigest: string,
): Promise<void> {
  if (!to.placement.needsContainer || runsSameBackend(live, to))
    await describeRelease(context, { ...to, app: live.app }, manifestDigest);
}

/**
 * Reads the description of the release that an app serves, before it becomes RUNNING. `app` has the address of the healthy deployment. Not
 * again when a container recovers: it is the same, and events of other apps wait for what one app may repeat at will.
 */
export async function describeCurrent(context: DescribingContext, app: AppRecord): Promise<void> {
  const live = await liveOf(context, app);
  if (live?.api?.openapiUrl === undefined) return;
  const release = { appId: app.id, manifestDigest: app.manifestDigest };
  const isRecovery = app.state === "UNHEALTHY" && live.placement.needsContainer;
  if (isRecovery && (await context.descriptions.status(release))) return;
  await describeRelease(context, { ...live, app }, app.manifestDigest);
}

/**
 * Reads the description of the release that the app switches to, once its deployment is healthy. Not under the lock of the app, for which
 * commands of callers wait.
 */
export async function describeTarget(
  context: DescribingContext & Pick<MarketplaceContext, "deployments">,
  app: AppRecord,
  target: SwitchTarget,
): Promise<void> {
  const release = (await liveOf(context, app))?.target;
  if (release?.api?.openapiUrl === undefined) return;
  const deployment = await context.deployments.find(app.id, target.generation);
  if (deployment?.state !== "HEALTHY") return;
  await describeRelease(
    context,
    { ...release, app: { ...app, ...addressOf(deployment), generation: target.generation } },
    target.manifestDigest,
  );
}

async function readingOf(
  { documents }: DescribingContext,
  source: DocumentSource,
  app: DescribedApp,
  basePath: string,
): Promise<DescriptionReading["result"]> {
  try {
    return readApiDescription(await documents.read(source, app), basePath);
  } catch (error) {
    if (error instanceof DescriptionProblem) return { problem: `the document at ${source.url} ${error.message}` };
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
