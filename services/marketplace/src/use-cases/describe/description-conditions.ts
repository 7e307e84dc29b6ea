import type { AppRecord } from "../../domain/app.ts";
import { isInstalled } from "../../domain/app-state.ts";
import type { ApiDescriptions, AppParticipant } from "../../ports.ts";

/** Shows as a condition of an app that the description of the API that it serves could not be read (docs/interface/states.md#conditions). */
export function descriptionConditions(descriptions: Pick<ApiDescriptions, "status" | "failed">): AppParticipant {
  return {
    name: "descriptions of APIs",
    conditions: async (app) => {
      const found = isInstalled(app.state) ? await descriptions.status(serving(app)) : undefined;
      return found?.problem === undefined ? [] : [conditionOf(found.problem, found.readAt)];
    },
    faultyAmong: async (apps) => {
      const failed = new Set((await descriptions.failed()).map(({ appId, manifestDigest }) => `${appId} ${manifestDigest}`));
      const isFaulty = (app: AppRecord) => isInstalled(app.state) && failed.has(`${app.id} ${app.manifestDigest}`);
      return apps.flatMap(({ app }) => (isFaulty(app) ? app.id : []));
    },
  };
}

function serving({ id, manifestDigest }: AppRecord) {
  return { appId: id, manifestDigest };
}

function conditionOf(problem: string, readAt: Date) {
  return {
    type: "ApiDescribed",
    status: "False",
    reason: "DescriptionUnreadable",
    message: `The description of the app's API was not read: ${problem}. It is read again when the app is deployed again.`,
    lastTransitionTime: readAt.toISOString(),
  } as const;
}
